// The policies Saccade is compared with [paper 004 III-D]: every task at its most accurate variant,
// rates by one simple rule (shares.hpp). They ignore every limit but processor time, as the paper's
// do; what they break is listed in Plan::violated_limits. With Heuristics::within_limits the per-variant
// filters apply first.
// Threads: pure.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "scheduler/policy.hpp"

namespace saccade::scheduler {

// kind: fair_fps, fair_time or greedy.
[[nodiscard]] std::unique_ptr<Policy> make_heuristic(PolicyKind kind);

// The variant that the heuristics run: highest accuracy, then least time, then first of `variants`.
[[nodiscard]] std::optional<std::size_t> most_accurate(const std::vector<VariantCost>& costs,
                                                       const std::vector<std::size_t>& variants);

// What runs instead of an infeasible plan. The variants that run, at their rates, if they still obey
// every limit; otherwise Fair-Time over the most accurate variants that pass their task's filters and
// fit the limits alone, switching off one task after the other, the lowest class first (in a class the
// last of the configuration first), until memory, energy and peak power hold.
[[nodiscard]] Plan fallback_plan(const Snapshot& snapshot);

}  // namespace saccade::scheduler
