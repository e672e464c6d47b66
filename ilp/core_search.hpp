// Depth-first search over the core: what reduced-cost fixing leaves open. Every selection is the base of
// the relaxation with some groups deviating from it; each deviation has a loss, so does what stays
// spare, and together they are exactly how far the selection is below the relaxation's bound. Only
// selections whose losses stay within the budget are visited: those better than the best known.
// Groups stand in order of their least loss and the outermost deviation moves outwards, so small cores
// are searched to the end before larger ones. Equal groups deviate in order only.
// Threads: pure but for the callbacks.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "ilp/incumbent.hpp"
#include "ilp/relaxation.hpp"
#include "ilp/table.hpp"
#include "ilp/work_meter.hpp"

namespace saccade::ilp {

// `budget`: loss, in units of the table, below which a selection is wanted. `accept` sees each one that
// seems to hold and be within it, and gives the budget from then on.
[[nodiscard]] SearchOutcome search_core(const Table& table, const Relaxation& relaxation,
                                        const Selection& base, double budget,
                                        const std::function<double(const Selection&)>& accept,
                                        const std::function<bool()>& stop, std::int64_t max_nodes);

}  // namespace saccade::ilp
