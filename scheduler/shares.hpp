// The heuristics' rules for sharing processor time among tasks whose variants are fixed (paper 004 III-D
// describes them in words only). All rates are the largest their rule allows, in closed form.
//   fair_fps   one common rate, the largest that every processor allows; capped by each task's demand
//   fair_time  every task gets an equal slot of each processor it uses; `redistribute` shares out what small
//              tasks leave unused of theirs. Of `equal` processors (sets of indices) a task uses only one:
//              there the slots are those of the tasks that use it
//   greedy     in order, the largest rate that the remaining budget allows; at most the demand
// Threads: pure.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/quantity.hpp"

namespace saccade::scheduler {

struct Load {
  std::vector<Seconds> time;  // per processor, per frame
  Fps demand{0.0};            // > 0
};

// budgets: per processor, in processor-seconds per second, >= 0. One rate per load.
[[nodiscard]] std::vector<Fps> fair_fps_rates(std::span<const double> budgets, std::span<const Load> loads);
[[nodiscard]] std::vector<Fps> fair_time_rates(std::span<const double> budgets, std::span<const Load> loads,
                                               bool redistribute,
                                               std::span<const std::vector<std::size_t>> equal = {});
[[nodiscard]] std::vector<Fps> greedy_rates(std::span<const double> budgets, std::span<const Load> loads);

}  // namespace saccade::scheduler
