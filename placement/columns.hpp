// Placements as columns of the planner's choice: a start set that offers different trade-offs of the
// processors' time, and pricing, which finds the placement that a plan's linear program lacks. Pricing: with
// the duals of the rows (time per processor, energy, memory) the reduced cost of a placement is a weighted
// sum of its costs, so the best placement is a shortest path (placement/paths.hpp). When no network has a
// column with a negative reduced cost, the program's value bounds that of every placement.
// Threads: pure. Errors: none.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "placement/costs.hpp"
#include "placement/evaluate.hpp"
#include "placement/paths.hpp"

namespace saccade::placement {

struct Column {
  Placement placement;
  Evaluation evaluation;
};

struct ColumnOptions {
  std::size_t most = 64;       // a spread-out part of them is kept, never only the best by one measure
  std::size_t max_stages = 3;  // of the exact methods
};

// Every processor alone, least latency, least energy, least period with 2 and 3 stages, least energy at four
// deadlines, every two-stage placement, also with copies of the first stage, and with copies of the second of
// three, between two on one processor (paper 003, options A and B with duplication); without those that
// others dominate in time per processor, energy, memory and latency, and without illegal ones.
[[nodiscard]] std::vector<Column> start_set(const Costs& costs, const ColumnOptions& options = {});

struct Priced {
  Placement placement;
  double reduced_cost = 0.0;  // below zero: the plan would be better with it
};
// `duals`: what a unit of each cost is worth, at the task's rate; `value`: the dual of the task's own row.
// Absent: no placement is possible.
[[nodiscard]] std::optional<Priced> price(const Costs& costs, const PathWeights& duals, double value);

}  // namespace saccade::placement
