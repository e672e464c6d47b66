// The fewest switches with which a sequence of steps can be served at the best objective of every step,
// by who knows all steps beforehand.
// Threads: pure.
#pragma once

#include <cstddef>
#include <vector>

#include "scheduler/snapshot.hpp"

namespace saccade::bench {

using Choice = std::vector<std::size_t>;  // variant per task

// Every choice that obeys all limits and floors of the snapshot at full demand and whose mean relative
// accuracy is within 1e-9 of `best`. One processor; all tasks active with weight 1.
[[nodiscard]] std::vector<Choice> best_choices(const scheduler::Snapshot& snapshot, double best);

// The least sum of tasks that differ from one step to the next, one choice taken per step. No step is
// without a choice.
[[nodiscard]] std::size_t fewest_switches(const std::vector<std::vector<Choice>>& steps);

[[nodiscard]] std::size_t switches_between(const Choice& a, const Choice& b);

}  // namespace saccade::bench
