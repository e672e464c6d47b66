// Column generation for `saccade place SET.json --layers FILE --config CONFIG.json`: which placements the
// plan of a configuration lacks. The start set of each network is offered to the planner; then, round by
// round, the dual prices of the plan's rows (scheduler/row_prices.hpp) price all placements of the network as
// a shortest path (placement/columns.hpp, E4), and the best ones are added, until none would improve the
// linear relaxation. Its bound then holds for all placements there are, with any number of stages, and the
// gap of the plan to it is known. Where the demand does not fit, placements are priced first by how many
// tasks they let be served. Only tasks with one region are priced: others are served by whole networks.
// Placements that the planner refuses (memory of a processor, a task's own limits, more than 64 stages) are
// not added; the bound holds, and may then not be reached by any. Threads: the calling one. Errors: of the
// snapshot with the placements in it (scheduler::validate); active tasks that no variant of the start set can
// serve, as the bound would not know them.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "placement/columns.hpp"
#include "scheduler/plan.hpp"
#include "scheduler/row_prices.hpp"

namespace saccade::app {

// A variant of the set whose layers were measured.
struct PricedNetwork {
  const placement::Costs* costs = nullptr;
  std::size_t whole = 0;                   // index into the set
  std::vector<placement::Column> columns;  // its start set
  // The column as the planner sees it. Absent: one that the set has already.
  std::function<std::optional<profiles::Variant>(const placement::Column&, const std::string& id)> variant;
};

struct PricingCase {
  scheduler::Snapshot snapshot;
  std::vector<std::size_t> tasks;  // those that plan with the set
  profiles::ProfileSet set;        // as in its file, without placements
  std::vector<PricedNetwork> networks;
  const ilp::ChoiceSolver* solver = nullptr;  // for prices, see price_rows()
  std::function<scheduler::Plan(const scheduler::Snapshot&)> decide;
};

struct Pricing {
  std::vector<std::vector<placement::Column>> added;  // by network, beyond its start set
  std::size_t rounds = 0;                             // in which prices were computed
  // No placement costs less than its price allows: the bound is that of the linear program over all of them.
  // False without a bound.
  bool closed = false;
  // That no plan of the whole demand exceeds (falls below, where the objective is minimised), in the
  // objective's unit. Absent: the whole demand does not fit.
  std::optional<double> bound;
  // Where it does not: at most so many tasks can be served with their whole demand.
  std::optional<double> served;
  scheduler::Plan before, after;  // with the start sets alone; with what was added
};

[[nodiscard]] Result<Pricing> price_columns(PricingCase problem);

// How far a plan that meets the whole demand is from the bound, as a share of its value.
[[nodiscard]] std::optional<double> gap_of(const scheduler::Plan& plan, const Pricing& pricing);

}  // namespace saccade::app
