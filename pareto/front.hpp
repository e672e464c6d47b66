// Pareto dominance over any set of measures, all expressed as costs (smaller is better; negate an
// accuracy). A point is dominated when another is no worse in every column and better in one. Of
// points equal in every column the one that comes first in `preference` stays.
// Paper 004 III-B: a selection keeps the non-dominated variants; accuracy is always one column.
// Threads: pure. Errors: costs must be finite (checked).
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

#include "pareto/preference.hpp"

namespace saccade::pareto {

// costs: one row per point, one column per measure. keep: points that are never dominated away
// (the variant that runs). Returns the kept row indices, ascending. O(n log n + n * front).
[[nodiscard]] std::vector<std::size_t> front(const Eigen::MatrixXd& costs,
                                             const Preference& preference = nullptr,
                                             std::span<const std::size_t> keep = {});

}  // namespace saccade::pareto
