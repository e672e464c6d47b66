// Improvement of an assignment: two boxes at a time are solved jointly (joint.hpp), with all their cameras
// and whatever either may serve; the result is adopted if it loses less, or loses the same and is worth more,
// with moving costs counted. Pairs are drawn at random from a fixed seed, both from where cameras are off or
// lowered first; a pair that the boxes' own prices promise nothing from is passed over. Cameras of a unit
// (`together`) are moved as one, by settling both boxes. Threads: pure. The same assignment and limits give
// the same result, unless `stop` ends it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "fleet/assignment.hpp"

namespace saccade::fleet {

struct ImproveLimits {
  JointLimits joint;
  std::int64_t pairs = 2'000;  // that are drawn
  std::uint64_t seed = 1;
  std::optional<std::size_t> most_moves;  // of the whole assignment; it is not exceeded by more than it was
  // Ends early when the value reaches this: the proven bound less what is good enough.
  std::optional<double> enough;
  std::function<bool()> stop = nullptr;
};

struct Improvement {
  std::int64_t pairs = 0;    // drawn
  std::int64_t solved = 0;   // of those
  std::int64_t adopted = 0;  // of those
};

Improvement improve(Assignment& assignment, const ImproveLimits& limits);

}  // namespace saccade::fleet
