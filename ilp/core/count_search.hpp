// Enumeration of counts, for tables whose classes stand for many groups. The LP solution mixes as many pairs
// of options as there are rows with a price (the basic columns); all other options have a reduced cost. How
// many groups take which nonbasic option is enumerated by reduced cost, within the budget; the counts of the
// basic options then follow from the rows but for the slack: the few integer points of a small simplex (the
// corner relaxation; Gomory 1969). Selections are visited as counts, so identical groups cost nothing, where
// a branch and bound over them would keep bounding the same fractional mix. Budgets start small and grow,
// since the work grows much faster.
// Threads: pure but for the callbacks.
#pragma once

#include "ilp/core/lp_relaxation.hpp"
#include "ilp/core/search.hpp"
#include "ilp/core/table.hpp"
#include "ilp/work_meter.hpp"

namespace saccade::ilp {

// Returns limit `work` without a node if the rows with a price do not determine the basic counts.
[[nodiscard]] SearchOutcome search_counts(const Table& table, const LpRelaxation& relaxation, double cutoff,
                                          const OnCandidate& on_candidate, const WorkLimit& limit);

}  // namespace saccade::ilp
