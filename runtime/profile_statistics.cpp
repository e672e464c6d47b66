#include "runtime/profile_statistics.hpp"

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
