#include "runtime/profiling/profile_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.hpp"

namespace saccade::runtime {

namespace {

std::vector<double> sorted(std::span<const double> samples) {
  SACCADE_CHECK(!samples.empty());
  std::vector<double> values(samples.begin(), samples.end());
  std::sort(values.begin(), values.end());
  return values;
}

// Ranks less their mean; equal values share the mean of theirs.
std::vector<double> centred_ranks(std::span<const double> values) {
  std::vector<double> ranks;
  for (const double value : values) {
    double below = 0.0;
    double equal = 0.0;
    for (const double other : values) {
      below += other < value ? 1.0 : 0.0;
      equal += other == value ? 1.0 : 0.0;
    }
    ranks.push_back(below + 0.5 * equal - 0.5 * static_cast<double>(values.size()));
  }
  return ranks;
}

}  // namespace

double median(std::span<const double> samples) {
  const std::vector<double> values = sorted(samples);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

double mean(std::span<const double> samples) {
  SACCADE_CHECK(!samples.empty());
  return std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
}

double quantile(std::span<const double> samples, double share) {
  SACCADE_CHECK(share > 0.0 && share <= 1.0);
  const std::vector<double> values = sorted(samples);
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  return values[std::clamp<std::size_t>(rank, 1, values.size()) - 1];
}

double spread(std::span<const double> samples) {
  SACCADE_CHECK(!samples.empty());
  const std::size_t blocks = std::min<std::size_t>(5, samples.size());
  std::vector<double> medians;
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::size_t begin = block * samples.size() / blocks;
    const std::size_t end = (block + 1) * samples.size() / blocks;
    medians.push_back(median(samples.subspan(begin, end - begin)));
  }
  const auto [least, most] = std::minmax_element(medians.begin(), medians.end());
  return (*most - *least) / median(samples);
}

bool can_rank(std::span<const double> left, std::span<const double> right) {
  SACCADE_CHECK(!left.empty() && left.size() == right.size());
  double faster = 0.0;
  double slower = 0.0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    faster += left[i] < right[i] ? 1.0 : 0.0;
    slower += left[i] > right[i] ? 1.0 : 0.0;
  }
  constexpr double kZ = 2.576;  // two-sided 1 % of the normal distribution
  return std::abs(faster - slower) > kZ * std::sqrt(faster + slower);
}

double kendall(std::span<const double> left, std::span<const double> right) {
  SACCADE_CHECK(!left.empty() && left.size() == right.size());
  double agree = 0.0;
  double ordered_left = 0.0;
  double ordered_right = 0.0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const int a = (left[i] > left[j]) - (left[i] < left[j]);
      const int b = (right[i] > right[j]) - (right[i] < right[j]);
      agree += a * b;
      ordered_left += a * a;
      ordered_right += b * b;
    }
  }
  const double pairs = std::sqrt(ordered_left * ordered_right);
  return pairs > 0.0 ? agree / pairs : 1.0;
}

double spearman(std::span<const double> left, std::span<const double> right) {
  SACCADE_CHECK(!left.empty() && left.size() == right.size());
  const std::vector<double> a = centred_ranks(left);
  const std::vector<double> b = centred_ranks(right);
  const double spread_a = std::inner_product(a.begin(), a.end(), a.begin(), 0.0);
  const double spread_b = std::inner_product(b.begin(), b.end(), b.begin(), 0.0);
  if (!(spread_a > 0.0) || !(spread_b > 0.0)) return 1.0;
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0) / std::sqrt(spread_a * spread_b);
}

std::vector<IndexPair> unranked_neighbours(const std::vector<std::vector<double>>& samples) {
  std::vector<double> medians;
  medians.reserve(samples.size());
  for (const std::vector<double>& one : samples) medians.push_back(median(one));
  std::vector<std::size_t> order(samples.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return medians[a] < medians[b]; });
  std::vector<IndexPair> pairs;
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (!can_rank(samples[order[i - 1]], samples[order[i]])) pairs.emplace_back(order[i - 1], order[i]);
  }
  return pairs;
}

}  // namespace saccade::runtime
