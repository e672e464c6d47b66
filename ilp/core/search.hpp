// What the searches over a core have in common (depth_first_search, count_search, list_search,
// branch_and_bound). Each looks for selections of a table whose value exceeds a cutoff, given the table's LP
// relaxation. Limit none in an outcome: no selection above the cutoff is left.
// Threads: plain types.
#pragma once

#include <functional>

#include "ilp/core/selection.hpp"

namespace saccade::ilp {

// Receives every selection found that seems feasible and above the cutoff, both within rounding; returns the
// cutoff from then on. Values are in units of the table; -infinity = any selection is wanted.
using OnCandidate = std::function<double(const Selection&)>;

}  // namespace saccade::ilp
