#include "ilp/sifting.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "ilp/pricing.hpp"

namespace saccade::ilp {
namespace {

constexpr std::size_t kSampledClasses = 60;    // a sample has at least half as many
constexpr std::size_t kSampledOptions = 2000;  // smaller tables are quicker without samples
constexpr std::size_t kFewPerClass = 8;        // options of a class that are looked at, in the mean
constexpr std::size_t kLossStride = 7;         // of the options whose losses tell where the few end
constexpr int kRounds = 3;                     // then all options are looked at

// Every stride-th class with its share of the capacities: its prices are near those of the whole.
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

// The loss below which lie about as many options as are to be looked at.
double loss_of_few(const Table& table, const Pricing& pricing) {
  std::vector<double> losses;
  losses.reserve(table.options() / kLossStride + table.classes());
  for (std::size_t c = 0; c < table.classes(); ++c) {
    const double most = pricing.worth[pricing.best[c]];
    const std::size_t begin = table.first[c] + c % kLossStride;
    for (std::size_t i = begin; i < table.first[c + 1]; i += kLossStride) {
      losses.push_back(most - pricing.worth[i]);
    }
  }
  const std::size_t wanted = kFewPerClass * table.classes() / kLossStride;
  if (wanted >= losses.size()) return losses.empty() ? 0.0 : *std::max_element(losses.begin(), losses.end());
  const auto at = losses.begin() + static_cast<std::ptrdiff_t>(wanted);
  std::nth_element(losses.begin(), at, losses.end());
  return *at;
}

// The options that lose no more than that; `option` counts in the whole table.
Table few_of(const Table& table, const Pricing& pricing) {
  const double most_loss = loss_of_few(table, pricing);
  Table few;
  few.rows = table.rows;
  few.capacity = table.capacity;
  few.count = table.count;
  few.class_of = table.class_of;
  for (std::size_t c = 0; c < table.classes(); ++c) {
    few.first.push_back(static_cast<std::uint32_t>(few.option.size()));
    const double least_worth = pricing.worth[pricing.best[c]] - most_loss;
    for (std::uint32_t i = table.first[c]; i < table.first[c + 1]; ++i) {
      if (pricing.worth[i] < least_worth && i != pricing.best[c]) continue;
      few.option.push_back(i);
      few.value.push_back(table.value[i]);
      few.use.insert(few.use.end(), table.use_of(i), table.use_of(i) + table.rows);
    }
  }
  few.first.push_back(static_cast<std::uint32_t>(few.option.size()));
  return few;
}

// The relaxation of the few as one of the whole table, which is priced at its prices.
Relaxation of_whole(const Table& table, const Table& few, const Pricing& pricing, Relaxation relaxation) {
  for (auto& counts : relaxation.counts) {
    for (auto& [option, count] : counts) option = few.option[option];
  }
  for (Relaxation::Tie& tie : relaxation.ties) {
    tie.base = few.option[tie.base];
    tie.other = few.option[tie.other];
  }
  relaxation.loss = losses_of(table, pricing);
  relaxation.bound = pricing.bound;
  return relaxation;
}

}  // namespace

Estimate estimate(const Table& table, const std::function<bool()>& stop) {
  Estimate result;
  std::size_t stride = 1;
  while (table.classes() / stride > kSampledClasses && table.options() / stride > kSampledOptions)
    stride *= 4;
  for (; stride > 1; stride /= 4) {
    const Table some = sample(table, stride);
    Relaxation relaxation = sift(some, result.prices, stop);
    if (relaxation.infeasible) {
      result.infeasible = refutes(table, relaxation.ray);
      result.ray = std::move(relaxation.ray);
      return result;
    }
    result.prices = std::move(relaxation.prices);
    if (relaxation.stopped) break;
  }
  return result;
}

Relaxation sift(const Table& table, std::vector<double> start, const std::function<bool()>& stop) {
  if (start.empty() || table.options() < kSampledOptions) return relax(table, std::move(start), stop);
  std::int64_t steps = 0;
  Pricing pricing;
  price(table, start, pricing);
  for (int round = 0; round < kRounds; ++round) {
    const Table few = few_of(table, pricing);
    Relaxation relaxation = relax(few, start, stop);
    if (relaxation.infeasible) break;  // says nothing of the others
    steps += relaxation.steps;
    relaxation.steps = steps;
    start = relaxation.prices;
    price(table, start, pricing);
    const bool all_looked_at = pricing.bound <= relaxation.bound + rounding_of(1.0);
    if (all_looked_at || relaxation.stopped) return of_whole(table, few, pricing, std::move(relaxation));
  }
  return relax(table, std::move(start), stop);
}

}  // namespace saccade::ilp
