// Search over counts for tables in which classes stand for many groups. The LP relaxation mixes as many pairs
// of options as rows have a price; all other options lose something. How many members of each class take
// which lossy option is enumerated, least loss first, within the budget; how many take the mixed ones
// then follows from the rows but for what may stay spare: the few whole points of a small simplex. Every
// selection is visited as counts, so that equal groups cost nothing, where a branch and bound over
// them bounds ever the same mixture. Budgets start small and grow, because the work grows much faster.
// Threads: pure but for the callbacks.
#pragma once

#include <cstdint>
#include <functional>

#include "ilp/incumbent.hpp"
#include "ilp/relaxation.hpp"
#include "ilp/table.hpp"
#include "ilp/work_meter.hpp"

namespace saccade::ilp {

// `budget`, `accept`: as for search_core(). Without a node and with limit `work` where the rows with a price
// do not determine the mixture.
[[nodiscard]] SearchOutcome search_counts(const Table& table, const Relaxation& relaxation, double budget,
                                          const std::function<double(const Selection&)>& accept,
                                          const std::function<bool()>& stop, std::int64_t max_nodes);

}  // namespace saccade::ilp
