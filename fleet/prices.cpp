#include "fleet/prices.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

#include "fleet/relaxation.hpp"
#include "ilp/tolerances.hpp"

namespace saccade::fleet {
namespace {

// All capacity of the part bought for what its cameras are worth.
std::vector<double> mean_prices(const Relaxation& relaxation, double worth) {
  std::vector<double> prices;
  const auto rows = static_cast<double>(relaxation.capacity().size());
  for (const double amount : relaxation.capacity()) {
    prices.push_back(0.1 * worth / rows / std::max(amount, 1e-12));
  }
  return prices;
}

class Steps {
 public:
  explicit Steps(std::vector<double> prices)
      : prices_(std::move(prices)), size_(prices_.size(), 0.4), sign_(prices_.size(), 0) {}

  [[nodiscard]] const std::vector<double>& prices() const { return prices_; }

  void step(const Relaxation& relaxation) {
    for (std::size_t row = 0; row < prices_.size(); ++row) {
      const double capacity = std::max(relaxation.capacity()[row], 1e-12);
      const double excess = relaxation.load()[row] / capacity - 1.0;
      const int sign = excess > 0.0 ? 1 : -1;
      double& size = size_[row];
      if (sign_[row] != 0) size *= sign == sign_[row] ? 1.15 : 0.55;
      size = std::clamp(size, 1e-6, 1.0);
      sign_[row] = sign;
      prices_[row] *= std::exp(sign * std::min(size, 4.0 * std::abs(excess)));
    }
  }

 private:
  std::vector<double> prices_;
  std::vector<double> size_;
  std::vector<int> sign_;
};

struct PartPrices {
  std::vector<double> of;  // per row, group by group
  double bound = ilp::kInfinite;
  int passes = 0;
};

PartPrices find_part_prices(Relaxation& relaxation, const PriceLimits& limits, std::vector<double> from) {
  Steps steps(std::move(from));
  PartPrices best;
  const int window = std::max(static_cast<int>(limits.window * limits.passes), 1);
  double before = ilp::kInfinite;  // the bound a window ago
  for (; best.passes < limits.passes && !(limits.stop && limits.stop()); ++best.passes) {
    const double bound = relaxation.pass(steps.prices());
    if (bound < best.bound || best.of.empty()) {
      best.bound = bound;
      best.of = steps.prices();
    }
    if (best.passes % window == window - 1) {
      if (before - best.bound < limits.tolerance * std::abs(best.bound)) break;
      before = best.bound;
    }
    steps.step(relaxation);
  }
  if (best.of.empty()) {
    best.of = steps.prices();
    best.bound = relaxation.pass(best.of);
  }
  // A price that hardly matters is none: the bound says whether that is better.
  std::vector<double> bare = best.of;
  for (std::size_t row = 0; row < bare.size(); ++row) {
    if (bare[row] * relaxation.capacity()[row] < 1e-7 * std::abs(best.bound)) bare[row] = 0.0;
  }
  const double bound = relaxation.pass(bare);
  if (bound <= best.bound) {
    best.bound = bound;
    best.of = std::move(bare);
  }
  return best;
}

// The prices of a part, row by row.
std::vector<double> rows_of(const Part& part, const std::vector<std::vector<double>>& prices) {
  std::vector<double> rows;
  for (const std::size_t group : part.groups) {
    rows.insert(rows.end(), prices[group].begin(), prices[group].end());
  }
  return rows;
}

void put_rows(const Part& part, const std::vector<double>& rows, std::vector<std::vector<double>>& prices) {
  auto row = rows.begin();
  for (const std::size_t group : part.groups) {
    for (double& price : prices[group]) price = *row++;
  }
}

// The sum of the bounds of parts, rounded outward.
class BoundSum {
 public:
  void add(double bound) {
    if (terms_ > 0.0) rounding_ += std::abs(sum_) + std::abs(bound);
    sum_ += bound;
    terms_ += 1.0;
  }
  [[nodiscard]] double sum() const { return sum_ + 2.0 * std::numeric_limits<double>::epsilon() * rounding_; }

 private:
  double sum_ = 0.0;
  double rounding_ = 0.0;
  double terms_ = 0.0;
};

}  // namespace

Stage steering_stage(const Model& model) {
  Stage stage;
  stage.may_be_off.assign(model.ranks(), true);
  stage.may_be_lowered.assign(model.ranks(), false);
  double most = 0.0;  // what serving a camera of weight 1 is worth, or costs
  std::set<std::tuple<std::size_t, std::size_t, double, double>> seen;  // cameras that are alike in it
  for (const Item& item : model.items()) {
    if (!seen.emplace(item.menu, item.groups, item.rate, item.weight).second) continue;
    for (const std::size_t group : model.allowed(item)) {
      for (const Offer& offer : model.menu(model.groups()[group].kind, item.menu)) {
        most = std::max(most, std::abs(value_of(item, offer, item.rate)) / item.weight);
      }
    }
  }
  stage.off_penalty = -3.0 * most;
  return stage;
}

Prices find_prices(const Model& model, const Stage& stage, const PriceLimits& limits,
                   const std::vector<std::vector<double>>& from) {
  Prices prices;
  for (const Group& group : model.groups()) {
    prices.of.emplace_back(model.kinds()[group.kind].capacity.size(), 0.0);
  }
  const auto loses = [&](std::size_t camera) { return limits.known[camera] > 0.0; };
  BoundSum bound;
  for (const Part& part : parts_of(model)) {
    const bool open = limits.known.empty() || std::any_of(part.cameras.begin(), part.cameras.end(), loses);
    if (!open) continue;  // at prices of 0 its share is 0, and none is less
    Relaxation relaxation(model, stage, part);
    const double worth = (stage.off_penalty < 0.0 ? -stage.off_penalty / 3.0 : 1.0) * relaxation.weight();
    PartPrices found = find_part_prices(relaxation, limits,
                                        from.empty() ? mean_prices(relaxation, worth) : rows_of(part, from));
    put_rows(part, found.of, prices.of);
    bound.add(found.bound);
    prices.passes = std::max(prices.passes, found.passes);
  }
  prices.bound = bound.sum();
  return prices;
}

double bound_of(const Model& model, const Stage& stage, const std::vector<std::vector<double>>& prices) {
  BoundSum bound;
  for (const Part& part : parts_of(model)) {
    bound.add(Relaxation(model, stage, part).pass(rows_of(part, prices)));
  }
  return bound.sum();
}

Reduced best_at(const Kind& kind, const Menu& menu, const Item& item, const std::vector<double>& prices) {
  Reduced best;
  for (std::size_t o = 0; o < menu.size(); ++o) {
    double value = value_of(item, menu[o], item.rate);
    for (std::size_t row = 0; row < prices.size(); ++row) {
      value -= prices[row] * use_of(kind, menu[o], row, item.rate);
    }
    if (value > best.value) best = {value, o};
  }
  return best;
}

}  // namespace saccade::fleet
