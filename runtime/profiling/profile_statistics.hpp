// The profiler's statistics: pure functions, no clock, no engine. Samples of one variant are in the order in
// which they were taken; samples of several variants were taken in turn, so that sample i of one corresponds
// to sample i of the other and a slow phase of the machine affects both.
// Units: those of the samples. Threads: pure. Errors: none; every function needs at least one sample
// (checked).
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace saccade::runtime {

[[nodiscard]] double median(std::span<const double> samples);
[[nodiscard]] double mean(std::span<const double> samples);
// The smallest sample that at least `share` of all samples do not exceed (nearest rank), 0 < share <= 1.
[[nodiscard]] double quantile(std::span<const double> samples, double share);

// How far the median drifts during the measurement: the samples are split into up to five blocks in order;
// the range of the blocks' medians, divided by the median of all.
[[nodiscard]] double spread(std::span<const double> samples);

// Whether the order of two variants' times is statistically significant: a sign test over paired samples at
// the 1 % level (normal approximation; ties are ignored). Both have the same number of samples.
[[nodiscard]] bool can_rank(std::span<const double> left, std::span<const double> right);

// How alike two measurements rank the same things, -1 to 1: Kendall's tau-b, based on the number of pairs in
// the same order minus that in the opposite one, corrected for ties; and Spearman's coefficient, the
// correlation of the ranks, equal values sharing theirs. 1 if there is nothing to rank. Same number of values
// (checked).
[[nodiscard]] double kendall(std::span<const double> left, std::span<const double> right);
[[nodiscard]] double spearman(std::span<const double> left, std::span<const double> right);

// Pairs of variants that are adjacent when ordered by median and cannot be ranked; the faster one first.
using IndexPair = std::pair<std::size_t, std::size_t>;
[[nodiscard]] std::vector<IndexPair> unranked_neighbours(const std::vector<std::vector<double>>& samples);

}  // namespace saccade::runtime
