// Pareto dominance over any set of measures, all expressed as costs (smaller is better; negate accuracy).
// A point is dominated if another is no worse in every column and better in at least one. Among points that
// are equal in every column, the first in `preference` order is kept.
// Paper 004 III-B: a selection keeps the non-dominated variants; accuracy is always one column.
// Threads: pure. Errors: costs must be finite (checked).
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

#include "pareto/preference.hpp"

namespace saccade::pareto {

// costs: one row per point, one column per measure. keep: points that are kept in any case (the running
// variant). Returns the kept row indices, ascending. O(n log n + n * front).
[[nodiscard]] std::vector<std::size_t> front(const Eigen::MatrixXd& costs,
                                             const Preference& preference = nullptr,
                                             std::span<const std::size_t> keep = {});

// The same for `points` points stored consecutively, `columns` costs each.
[[nodiscard]] std::vector<std::size_t> front(std::span<const double> costs, std::size_t points,
                                             std::size_t columns, const Preference& preference = nullptr,
                                             std::span<const std::size_t> keep = {});

// Points by their first cost, ascending: sorted once for the fronts of the same points in several measures of
// which the first column is the same.
struct Place {
  double first;
  std::size_t point;
};
[[nodiscard]] std::vector<Place> by_first(std::span<const double> costs, std::size_t points,
                                          std::size_t columns);
[[nodiscard]] std::vector<std::size_t> front(std::vector<Place> order, std::span<const double> costs,
                                             std::size_t columns, const Preference& preference);

}  // namespace saccade::pareto
