// Methods that find the best placement, or say how far from it theirs may be.
//   E1  least period, no processor has two stages: dynamic program over (processors used, boundary)
//   E2  least period, processors may be used again, at most k stages: label setting with Lagrangian bounds
//   E3  least energy within a latency: label setting over (latency, energy); the same without a limit gives
//   the
//       whole front
//   E4  least weighted sum: placement/paths.hpp
// None of them is of the four papers: they say what the papers' methods miss.
// Memory limits: E1 respects them. With processors used again they are not a sum over stages: E2 and E3
// ignore them, so that their bounds stay valid and their placements must be asked (complaints()). Threads:
// pure. Errors: an absent placement means that none is possible.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "placement/costs.hpp"
#include "placement/evaluate.hpp"

namespace saccade::placement {

// Legal in everything but memory, see above.
struct Solution {
  std::optional<Placement> placement;
  double value = kImpossible;  // seconds of E1 and E2, joules of E3
  double bound = 0.0;          // no placement is better than this; equal to the value when it is proved
  std::size_t labels = 0;      // work done
  [[nodiscard]] bool proved() const { return placement && bound >= value * (1.0 - 1e-12); }
};

// E1. Processors of one kind are taken in their order, so that no two equal placements are compared.
// O(2^P P^3 N^2) with P different processors, less with kinds.
[[nodiscard]] Solution least_period_once_each(const Costs& costs, std::size_t max_stages);

struct ReuseOptions {
  std::size_t max_stages = 4;
  std::size_t max_labels = 4'000'000;  // then the best so far and its bound are returned
};
// E2.
[[nodiscard]] Solution least_period(const Costs& costs, const ReuseOptions& options);

struct EnergyOptions {
  std::size_t max_stages = 0;  // 0: any number
  std::size_t max_labels = 8'000'000;
};
// E3. Wants energies (Costs::has_energy()).
[[nodiscard]] Solution least_energy(const Costs& costs, Seconds latency, const EnergyOptions& options = {});

struct FrontPoint {
  Seconds latency;
  Joules energy;
  Placement placement;
};
struct Front {
  std::vector<FrontPoint> points;  // latency ascends, energy descends
  bool complete = true;            // false: the limit on labels was reached, and there are no points
};
// All non-dominated pairs of latency and energy.
[[nodiscard]] Front energy_front(const Costs& costs, const EnergyOptions& options = {});

}  // namespace saccade::placement
