// Best-first branch and bound over a table with the LP relaxation as bound, for cores on which the
// losses of single options say too little. A node is a list of pieces: so many members of a class,
// restricted to some of its options. Where the relaxation mixes two options of a piece, the options are
// split between them: either at least k of the members take one side, or at most k - 1 do. For a
// piece of one that is one side or the other; for equal groups it branches on integer counts. Options
// that the node's prices rule out are dropped on the way down.
// Threads: pure but for the callbacks.
#pragma once

#include <cstdint>
#include <functional>

#include "ilp/choice_result.hpp"
#include "ilp/incumbent.hpp"
#include "ilp/relaxation.hpp"
#include "ilp/table.hpp"

namespace saccade::ilp {

struct BranchOutcome {
  Limit limit = Limit::none;  // none: nothing above the wanted value is left
  double bound = 0.0;         // of all selections, in units of the table
  std::int64_t nodes = 0;
};

// `wanted`: the table value above which a selection is wanted (-infinity: any). `accept` sees each
// selection that seems to hold and gives what is wanted from then on.
[[nodiscard]] BranchOutcome branch(const Table& table, const Relaxation& root, double wanted,
                                   const std::function<double(const Selection&)>& accept,
                                   const std::function<bool()>& stop, std::int64_t max_nodes);

}  // namespace saccade::ilp
