#include "ilp/core/pricing.hpp"

#include <cmath>
#include <cstddef>
#include <limits>

#include "ilp/tolerances.hpp"

namespace saccade::ilp {
namespace {

// A row count known at compile time lets the loop unroll; 0 = any.
template <std::size_t kRows>
void sum_up(const Table& table, const double* prices, double* costs) {
  const std::size_t rows = kRows == 0 ? table.rows : kRows;
  const double* use = table.use.data();
  for (std::size_t i = 0; i < table.options(); ++i) {
    double cost = 0.0;
    for (std::size_t k = 0; k < rows; ++k) cost += prices[k] * *use++;
    costs[i] = cost;
  }
}

}  // namespace

void price(const Table& table, const std::vector<double>& prices, Pricing& pricing) {
  costs_of(table, prices, pricing.worth);
  pricing.best.resize(table.classes());
  double bound = 0.0;
  for (std::size_t k = 0; k < table.rows; ++k) bound += prices[k] * table.capacity[k];
  double magnitude = bound;
  double* const worth = pricing.worth.data();
  for (std::size_t c = 0; c < table.classes(); ++c) {
    double most = -std::numeric_limits<double>::infinity();
    pricing.best[c] = table.first[c];
    for (std::uint32_t i = table.first[c]; i < table.first[c + 1]; ++i) {
      worth[i] = table.value[i] - worth[i];
      if (worth[i] <= most) continue;
      most = worth[i];
      pricing.best[c] = i;
    }
    bound += table.count[c] * most;
    magnitude += table.count[c] * std::abs(most);
  }
  const double rounding = rounding_of(static_cast<double>(table.classes() + table.rows));
  pricing.bound = bound + rounding * (magnitude + static_cast<double>(table.class_of.size()));
}

void costs_of(const Table& table, const std::vector<double>& prices, std::vector<double>& costs) {
  costs.resize(table.options());
  switch (table.rows) {
    case 1:
      return sum_up<1>(table, prices.data(), costs.data());
    case 2:
      return sum_up<2>(table, prices.data(), costs.data());
    case 3:
      return sum_up<3>(table, prices.data(), costs.data());
    default:
      return sum_up<0>(table, prices.data(), costs.data());
  }
}

std::vector<double> reduced_costs_of(const Table& table, const Pricing& pricing) {
  std::vector<double> reduced_costs(table.options());
  for (std::size_t c = 0; c < table.classes(); ++c) {
    const double most = pricing.worth[pricing.best[c]];
    for (std::uint32_t i = table.first[c]; i < table.first[c + 1]; ++i) {
      const double reduced_cost = most - pricing.worth[i];
      reduced_costs[i] = reduced_cost < kRounding ? 0.0 : reduced_cost;
    }
  }
  return reduced_costs;
}

}  // namespace saccade::ilp
