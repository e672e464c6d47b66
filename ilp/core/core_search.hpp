// The searches over a core in turn, each with its own work limit, until one is exhaustive: counts if classes
// stand for many groups (count_search.hpp), depth-first search (depth_first_search.hpp), lists if there is
// one row (list_search.hpp), branch and bound (branch_and_bound.hpp).
// Threads: pure but for the stop predicate.
#pragma once

#include <limits>

#include "ilp/core/core.hpp"
#include "ilp/core/incumbent.hpp"
#include "ilp/core/selection.hpp"
#include "ilp/core/table.hpp"
#include "ilp/work_meter.hpp"

namespace saccade::ilp {

struct CoreOutcome : SearchOutcome {                       // limit none: nothing above the cutoff is left
  double bound = std::numeric_limits<double>::infinity();  // on level 0, if branch and bound found one
};

// `base`: of the whole table. Improvements go into `incumbent`.
[[nodiscard]] CoreOutcome search_core(const Table& table, const Core& core, const Selection& base,
                                      Incumbent& incumbent, const WorkLimit& limit);

}  // namespace saccade::ilp
