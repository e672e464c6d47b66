// Best-first branch and bound over a table with the LP relaxation as bound (Land & Doig 1960), for cores on
// which the reduced costs of single options do not suffice. A node is a list of pieces: a number of groups of
// one class, restricted to some of its options. If the LP mixes two options of a single group, the options
// are divided between the children (branching on a special ordered set; Beale & Tomlin 1970). If it mixes
// them in a class of identical groups, the count of one option is branched on: at least one more than the
// LP's, or at most the LP's, which adds a row to the node. Options are fixed by reduced cost on the way down,
// and a node small enough is exhausted by search_depth_first() instead of split.
// Threads: pure but for the callbacks.
#pragma once

#include "ilp/core/lp_relaxation.hpp"
#include "ilp/core/search.hpp"
#include "ilp/core/table.hpp"
#include "ilp/work_meter.hpp"

namespace saccade::ilp {

struct BranchOutcome : SearchOutcome {
  double bound = 0.0;  // on all selections, in units of the table
};

[[nodiscard]] BranchOutcome branch_and_bound(const Table& table, const LpRelaxation& root, double cutoff,
                                             const OnCandidate& on_candidate, const WorkLimit& limit);

}  // namespace saccade::ilp
