// Puts a selection of merged rows (row_merging.hpp) back on the rows: bin packing in which every group is an
// item and every equal row a bin, with bins of different sizes. Items begin in the bin that the levels
// prefer, where they prefer one, the others in the emptiest, the largest first (Graham 1969, LPT); then moves
// and swaps of two items, always the one that leaves the least overflow, until nothing overflows. A
// heuristic: it may miss a packing that exists. Threads: pure.
#pragma once

#include <optional>

#include "ilp/choice_problem.hpp"
#include "ilp/core/row_merging.hpp"

namespace saccade::ilp {

// `picks`: of the merged problem. Absent: something overflows.
[[nodiscard]] std::optional<Picks> pack(const ChoiceProblem& problem, const MergedRows& merged,
                                        const Picks& picks);

}  // namespace saccade::ilp
