// What the profiler makes of its samples: pure functions, no clock, no engine. Samples of one variant
// stand in the order they were taken; samples of several variants were taken in turn, so that sample i
// of one belongs to sample i of the other and a slow moment of the machine hits both.
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

// How far the median wanders while measuring: the samples are cut into up to five blocks in order; the
// range of the blocks' medians, divided by the median of all.
[[nodiscard]] double spread(std::span<const double> samples);

// Whether the order of two variants' times is more than chance: a sign test over paired samples at the
// 1 % level (normal approximation; ties say nothing). Both have the same number of samples.
[[nodiscard]] bool can_rank(std::span<const double> left, std::span<const double> right);

// How alike two measurements of the same things order them, -1 to 1: Kendall's tau-b, which counts pairs
// in the same order less pairs in the other, ties allowed for; and Spearman's coefficient, the correlation of
// the ranks, equal values sharing theirs. 1 where there is nothing to order. Same number of values (checked).
[[nodiscard]] double kendall(std::span<const double> left, std::span<const double> right);
[[nodiscard]] double spearman(std::span<const double> left, std::span<const double> right);

// Pairs of variants that stand next to each other when ordered by median and cannot be ranked; the
// faster one first.
using IndexPair = std::pair<std::size_t, std::size_t>;
[[nodiscard]] std::vector<IndexPair> unranked_neighbours(const std::vector<std::vector<double>>& samples);

}  // namespace saccade::runtime
