#include "scheduler/stage_proof.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace saccade::scheduler {

StageProof::StageProof(const ProblemBuilder& builder, const Offers& offers, const ilp::ChoiceProblem& problem,
                       const std::vector<double>& prices, const std::vector<LossCap>& caps,
                       const LossCap& stage)
    : builder_(&builder), stage_(stage), caps_(caps), least_(offers.size(), 0.0) {
  const std::size_t rows = builder.rows().size();
  row_prices_.assign(prices.begin(), prices.begin() + static_cast<std::ptrdiff_t>(rows));
  std::size_t next = rows;
  for (const LossCap& cap : caps) cap_prices_.push_back(cap.most > 0.0 ? prices[next++] : 0.0);
  double bound = 0.0;
  double size = 0.0;  // of the terms of the sum, for its rounding error
  for (std::size_t row = 0; row < problem.capacities.size(); ++row) {
    const double paid = prices[row] * problem.capacities[row] * (1.0 + ilp::kTolerance);
    bound -= paid;
    size += std::abs(paid);
  }
  for (std::size_t i = 0; i < offers.size(); ++i) {
    double least = std::numeric_limits<double>::infinity();
    for (const Offer& offer : offers[i]) least = std::min(least, reduced_cost(i, offer));
    bound += least;
    size += std::abs(least);
    least_[i] = least;
  }
  slack_ = stage.most - bound + 1e-9 * (size + stage.most);
}

bool StageProof::admits(std::size_t choice, const Offer& offer) const {
  return reduced_cost(choice, offer) <= slack_;
}

// d_i(o) - min d_i; while the minimum is being computed, least_ is 0 and this is d_i(o).
double StageProof::reduced_cost(std::size_t i, const Offer& offer) const {
  const Menus& menus = builder_->menus();
  const Choice& choice = menus.choices()[i];
  double cost = loss_of(menus.snapshot(), choice, offer, stage_) - least_[i];
  for (std::size_t k = 0; k < caps_.size(); ++k) {
    if (cap_prices_[k] > 0.0) {
      cost += cap_prices_[k] * loss_of(menus.snapshot(), choice, offer, caps_[k]);
    }
  }
  for (std::size_t row = 0; row < row_prices_.size(); ++row) {
    if (row_prices_[row] > 0.0) cost += row_prices_[row] * builder_->use(choice, offer, row);
  }
  return cost;
}

}  // namespace saccade::scheduler
