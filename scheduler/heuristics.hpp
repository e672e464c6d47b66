// The policies Saccade is compared with [paper 004 III-D]: every task runs its most accurate variant, rates
// follow one simple rule (shares.hpp). As in the paper, they ignore every limit except processor time; the
// limits they violate are listed in Plan::violated_limits. With Heuristics::within_limits the per-variant
// filters (filter.hpp) are applied first.
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

// The variant that heuristics run: highest accuracy, then least time, then first in `variants`.
[[nodiscard]] std::optional<std::size_t> most_accurate(const std::vector<VariantCost>& costs,
                                                       const std::vector<std::size_t>& variants);

// Chooses the processor where a kind has several: `variants`, one per task or none, is replaced by variants
// of the same kind among the `usable` ones of each task. Tasks that need the most time at full demand come
// first, and each goes where the fullest processor it uses stays least full.
void spread_over_processors(const Snapshot& snapshot, const std::vector<std::vector<std::size_t>>& usable,
                            std::vector<std::optional<std::size_t>>& variants);

// What runs instead of an infeasible plan: the running variants at their rates if they still obey every
// limit, otherwise Fair-Time over the most accurate variants that pass their task's filters and would obey
// the limits by themselves. Tasks are then switched off one by one, the lowest class first and within a
// class the last in configuration order first, until memory, energy and peak power hold.
[[nodiscard]] Plan fallback_plan(const Snapshot& snapshot);

}  // namespace saccade::scheduler
