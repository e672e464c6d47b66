// Dynamic programming by lists over a core with a single row, after Pisinger's minimal algorithm for the
// multiple-choice knapsack problem (EJOR 83, 1995). A state is a use and a value relative to the LP base;
// dominated states are removed. Groups join in order of their smallest reduced cost; a state is dropped if
// even filling (or regaining) its slack at the best rate of the groups still outside cannot lift it above the
// cutoff. Unlike Pisinger's, groups outside the core do not join one by one: the core is given by
// reduced-cost fixing. Coarse and correlated data, hard for every branch and bound, collapse into equal
// states here.
// Threads: pure but for the callbacks.
#pragma once

#include "ilp/core/lp_relaxation.hpp"
#include "ilp/core/search.hpp"
#include "ilp/core/selection.hpp"
#include "ilp/core/table.hpp"
#include "ilp/work_meter.hpp"

namespace saccade::ilp {

// `table` has one row. A node is a state.
[[nodiscard]] SearchOutcome search_by_list(const Table& table, const LpRelaxation& relaxation,
                                           const Selection& base, double cutoff,
                                           const OnCandidate& on_candidate, const WorkLimit& limit);

}  // namespace saccade::ilp
