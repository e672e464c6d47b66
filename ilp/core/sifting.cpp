#include "ilp/core/sifting.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "ilp/core/pricing.hpp"
#include "ilp/tolerances.hpp"

namespace saccade::ilp {
namespace {

constexpr std::size_t kSampledClasses = 60;    // a sample has at least half as many
constexpr std::size_t kSampledOptions = 2000;  // smaller tables are faster without samples
constexpr std::size_t kSubsetPerClass = 8;     // options per class in the subset, on average
constexpr std::size_t kCostStride = 7;         // of the options that the threshold is estimated from
constexpr int kRounds = 3;                     // then all options are used

// Every stride-th class with its share of the capacities: its duals are close to those of the whole.
Table sample(const Table& table, std::size_t stride) {
  Table some;
  some.rows = table.rows;
  double count = 0.0, total = 0.0;
  for (const double members : table.count) total += members;
  for (std::size_t c = stride / 2; c < table.classes(); c += stride) {
    some.first.push_back(static_cast<std::uint32_t>(some.option.size()));
    const auto begin = static_cast<std::ptrdiff_t>(table.first[c]);
    const auto end = static_cast<std::ptrdiff_t>(table.first[c + 1]);
    const auto rows = static_cast<std::ptrdiff_t>(table.rows);
    some.option.insert(some.option.end(), table.option.begin() + begin, table.option.begin() + end);
    some.value.insert(some.value.end(), table.value.begin() + begin, table.value.begin() + end);
    some.use.insert(some.use.end(), table.use.begin() + begin * rows, table.use.begin() + end * rows);
    some.count.push_back(table.count[c]);
    count += table.count[c];
  }
  some.first.push_back(static_cast<std::uint32_t>(some.option.size()));
  for (const double capacity : table.capacity) some.capacity.push_back(capacity * count / total);
  return some;
}

// The reduced cost below which about as many options lie as the subset is to have.
double subset_threshold(const Table& table, const Pricing& pricing) {
  std::vector<double> reduced_costs;
  reduced_costs.reserve(table.options() / kCostStride + table.classes());
  for (std::size_t c = 0; c < table.classes(); ++c) {
    const double most = pricing.worth[pricing.best[c]];
    const std::size_t begin = table.first[c] + c % kCostStride;
    for (std::size_t i = begin; i < table.first[c + 1]; i += kCostStride) {
      reduced_costs.push_back(most - pricing.worth[i]);
    }
  }
  const std::size_t rank = kSubsetPerClass * table.classes() / kCostStride;
  if (rank >= reduced_costs.size())
    return reduced_costs.empty() ? 0.0 : *std::max_element(reduced_costs.begin(), reduced_costs.end());
  const auto at = reduced_costs.begin() + static_cast<std::ptrdiff_t>(rank);
  std::nth_element(reduced_costs.begin(), at, reduced_costs.end());
  return *at;
}

// The options of no larger reduced cost; `option` indexes the whole table.
Table subset_of(const Table& table, const Pricing& pricing) {
  const double threshold = subset_threshold(table, pricing);
  Table subset;
  subset.rows = table.rows;
  subset.capacity = table.capacity;
  subset.count = table.count;
  subset.class_of = table.class_of;
  for (std::size_t c = 0; c < table.classes(); ++c) {
    subset.first.push_back(static_cast<std::uint32_t>(subset.option.size()));
    const double least_worth = pricing.worth[pricing.best[c]] - threshold;
    for (std::uint32_t i = table.first[c]; i < table.first[c + 1]; ++i) {
      if (pricing.worth[i] < least_worth && i != pricing.best[c]) continue;
      subset.option.push_back(i);
      subset.value.push_back(table.value[i]);
      subset.use.insert(subset.use.end(), table.use_of(i), table.use_of(i) + table.rows);
    }
  }
  subset.first.push_back(static_cast<std::uint32_t>(subset.option.size()));
  return subset;
}

// The relaxation of the subset as one of the whole table. `pricing`: of the whole at its prices.
LpRelaxation of_whole(const Table& table, const Table& subset, const Pricing& pricing,
                      LpRelaxation relaxation) {
  for (auto& counts : relaxation.counts) {
    for (auto& [option, count] : counts) option = subset.option[option];
  }
  for (LpRelaxation::BasicPair& pair : relaxation.basic_pairs) {
    pair.base = subset.option[pair.base];
    pair.other = subset.option[pair.other];
  }
  relaxation.reduced_cost = reduced_costs_of(table, pricing);
  relaxation.bound = pricing.bound;
  return relaxation;
}

}  // namespace

SamplePrices sample_prices(const Table& table, const std::function<bool()>& stop) {
  SamplePrices result;
  std::size_t stride = 1;
  while (table.classes() / stride > kSampledClasses && table.options() / stride > kSampledOptions)
    stride *= 4;
  for (; stride > 1; stride /= 4) {
    const Table some = sample(table, stride);
    LpRelaxation relaxation = sift(some, result.prices, stop);
    if (relaxation.infeasible) {
      result.infeasible = is_farkas_certificate(table, relaxation.farkas);
      result.farkas = std::move(relaxation.farkas);
      return result;
    }
    result.prices = std::move(relaxation.prices);
    if (relaxation.stopped) break;
  }
  return result;
}

LpRelaxation sift(const Table& table, std::vector<double> start, const std::function<bool()>& stop) {
  if (start.empty() || table.options() < kSampledOptions) return relax(table, std::move(start), stop);
  std::int64_t steps = 0;
  Pricing pricing;
  price(table, start, pricing);
  for (int round = 0; round < kRounds; ++round) {
    const Table subset = subset_of(table, pricing);
    LpRelaxation relaxation = relax(subset, start, stop);
    if (relaxation.infeasible) break;  // says nothing about the whole table
    steps += relaxation.steps;
    relaxation.steps = steps;
    start = relaxation.prices;
    price(table, start, pricing);
    const bool complete = pricing.bound <= relaxation.bound + rounding_of(1.0);
    if (complete || relaxation.stopped) return of_whole(table, subset, pricing, std::move(relaxation));
  }
  return relax(table, std::move(start), stop);
}

}  // namespace saccade::ilp
