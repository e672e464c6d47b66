// Implicit enumeration of a core by depth-first search. Every selection is the LP base with some groups
// deviating from it. Each deviation has a reduced cost, so has the slack left over, and their sum is exactly
// how far the selection is below the LP bound: only selections within the budget, LP bound minus cutoff, are
// visited. Groups stand in order of their smallest reduced cost and the outermost deviation moves outwards,
// so small cores are exhausted before they are enlarged (expanding core; Pisinger 1995). Identical groups
// deviate in order only (symmetry breaking).
// Threads: pure but for the callbacks.
#pragma once

#include "ilp/core/lp_relaxation.hpp"
#include "ilp/core/search.hpp"
#include "ilp/core/selection.hpp"
#include "ilp/core/table.hpp"
#include "ilp/work_meter.hpp"

namespace saccade::ilp {

// `base`: where to deviate from, usually the rounded LP solution.
[[nodiscard]] SearchOutcome search_depth_first(const Table& table, const LpRelaxation& relaxation,
                                               const Selection& base, double cutoff,
                                               const OnCandidate& on_candidate, const WorkLimit& limit);

}  // namespace saccade::ilp
