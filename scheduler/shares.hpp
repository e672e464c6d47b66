// How the heuristics share out processor time among tasks whose variants are fixed (paper 004 III-D
// names them; decided there only in words). All rates are the largest their rule allows, computed in
// closed form, not by search.
//   fair_fps   one common rate for all, the largest that every processor allows; at most the demand
//   fair_time  every task gets the same slot of each processor it uses; `redistribute` shares out what
//              small tasks leave of theirs
//   greedy     in order, the largest rate that what is left allows
// Threads: pure.
#pragma once

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
                                               bool redistribute);
[[nodiscard]] std::vector<Fps> greedy_rates(std::span<const double> budgets, std::span<const Load> loads);

}  // namespace saccade::scheduler
