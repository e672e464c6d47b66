// Best-first branch and bound over a table with the LP relaxation as bound, for cores on which the
// losses of single options say too little. A node is a list of pieces: so many members of a class,
// restricted to some of its options. Where the relaxation mixes two options of one group, the options
// are split between them. Where it mixes them in a class of equal groups, either one member more than it
// wants takes the option, or no more than that do (a row of its own). Options that the node's prices
// rule out are dropped on the way down, and a node whose losses allow it is searched to the end
// (core_search.hpp) instead of split.
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
