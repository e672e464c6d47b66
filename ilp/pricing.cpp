#include "ilp/pricing.hpp"

#include <cmath>
#include <cstddef>

namespace saccade::ilp {
namespace {

constexpr double kRounding = 1e-12;

}  // namespace

void price(const Table& table, const std::vector<double>& prices, Pricing& pricing) {
  pricing.worth.resize(table.options());
  pricing.best.resize(table.classes());
  double bound = 0.0;
  for (std::size_t k = 0; k < table.rows; ++k) bound += prices[k] * table.capacity[k];
  double magnitude = bound;
  const double* use = table.use.data();
  for (std::size_t c = 0; c < table.classes(); ++c) {
    std::uint32_t best = table.first[c];
    for (std::uint32_t i = table.first[c]; i < table.first[c + 1]; ++i) {
      double cost = 0.0;
      for (std::size_t k = 0; k < table.rows; ++k) cost += prices[k] * *use++;
      pricing.worth[i] = table.value[i] - cost;
      if (pricing.worth[i] > pricing.worth[best]) best = i;
    }
    pricing.best[c] = best;
    const double worth = table.count[c] * pricing.worth[best];
    bound += worth;
    magnitude += std::abs(worth);
  }
  const double rounding = rounding_of(static_cast<double>(table.classes() + table.rows));
  pricing.bound = bound + rounding * (magnitude + static_cast<double>(table.class_of.size()));
}

std::vector<double> losses_of(const Table& table, const Pricing& pricing) {
  std::vector<double> losses(table.options());
  for (std::size_t c = 0; c < table.classes(); ++c) {
    const double most = pricing.worth[pricing.best[c]];
    for (std::uint32_t i = table.first[c]; i < table.first[c + 1]; ++i) {
      const double loss = most - pricing.worth[i];
      losses[i] = loss < kRounding ? 0.0 : loss;
    }
  }
  return losses;
}

}  // namespace saccade::ilp
