// Paper 002: least energy within a target time on processors of which one works at a time, by a limited
// number of transitions (LNT) or as a knapsack. Whether the paper's layer times contain a part of the
// transitions is not said: LNT believes in them or not
// (`count_transfers`). Knapsack as printed maximises the sum of the ratios E_gpu / E_dla with the time on the
// DLA as weight and ignores transitions: read literally it forgets the GPU's own time. Here an item's weight
// is what the move adds to the time and the capacity is what the GPU alone leaves of the target; the profit
// is the printed ratio, or the energy saved, which is the objective. Threads: pure. Errors: both want
// energies (Costs::has_energy()).
#pragma once

#include <cstddef>
#include <cstdint>

#include "placement/objective.hpp"

namespace saccade::placement {

struct LntOptions {
  std::size_t max_transitions = 3;  // at most
  bool count_transfers = true;
  std::int64_t max_evaluations = 50'000'000;
};
// Enumerates every set of transition points and start device.
[[nodiscard]] Found limited_transitions(const Costs& costs, Seconds target, const LntOptions& options = {});

enum class Profit { ratio, joule };
struct KnapsackOptions {
  Profit profit = Profit::ratio;
  std::size_t grid = 4000;  // steps of the capacity; weights are rounded up: never optimistic
};
// Moves layers from `home`, which runs them all, to `other`.
[[nodiscard]] Found knapsack(const Costs& costs, Seconds target, std::size_t home, std::size_t other,
                             const KnapsackOptions& options = {});

}  // namespace saccade::placement
