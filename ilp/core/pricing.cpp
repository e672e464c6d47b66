#include "ilp/core/pricing.hpp"

#include <cmath>
#include <cstddef>
#include <limits>

#include "ilp/core/for_rows.hpp"
#include "ilp/tolerances.hpp"

namespace saccade::ilp {
namespace {

// A row count known at compile time lets the loops unroll; 0 = any.
template <std::size_t kRows>
double cost_of(const double* use, std::size_t rows, const double* prices) {
  double cost = 0.0;
  for (std::size_t k = 0; k < (kRows == 0 ? rows : kRows); ++k) cost += prices[k] * use[k];
  return cost;
}

template <std::size_t kRows>
void sum_up(const Table& table, const double* prices, double* costs) {
  const std::size_t rows = kRows == 0 ? table.rows : kRows;
  const double* use = table.use.data();
  const std::size_t options = table.options();
  for (std::size_t i = 0; i < options; ++i, use += rows) costs[i] = cost_of<kRows>(use, rows, prices);
}

// The worth of every option and the best of every class; adds the classes' terms to bound and magnitude.
template <std::size_t kRows>
void find_worths(const Table& table, const double* prices, Pricing& pricing, double& bound,
                 double& magnitude) {
  const std::size_t rows = kRows == 0 ? table.rows : kRows;
  const double* use = table.use.data();
  const double* const value = table.value.data();
  double* const worth = pricing.worth.data();
  const std::uint32_t* const first = table.first.data();
  const std::size_t classes = table.classes();
  for (std::size_t c = 0; c < classes; ++c) {
    double most = -std::numeric_limits<double>::infinity();
    std::uint32_t best = first[c];
    for (std::uint32_t i = first[c]; i < first[c + 1]; ++i, use += rows) {
      const double own = value[i] - cost_of<kRows>(use, rows, prices);
      worth[i] = own;
      if (own <= most) continue;
      most = own;
      best = i;
    }
    pricing.best[c] = best;
    bound += table.count[c] * most;
    magnitude += table.count[c] * std::abs(most);
  }
}

}  // namespace

void price(const Table& table, const std::vector<double>& prices, Pricing& pricing) {
  pricing.worth.resize(table.options());
  pricing.best.resize(table.classes());
  double bound = 0.0;
  for (std::size_t k = 0; k < table.rows; ++k) bound += prices[k] * table.capacity[k];
  double magnitude = bound;
  for_rows<6>(table.rows, [&]<std::size_t kRows>() {
    find_worths<kRows>(table, prices.data(), pricing, bound, magnitude);
  });
  const double rounding = rounding_of(static_cast<double>(table.classes() + table.rows));
  pricing.bound = bound + rounding * (magnitude + static_cast<double>(table.class_of.size()));
}

void costs_of(const Table& table, const std::vector<double>& prices, std::vector<double>& costs) {
  costs.resize(table.options());
  for_rows<6>(table.rows, [&]<std::size_t kRows>() { sum_up<kRows>(table, prices.data(), costs.data()); });
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
