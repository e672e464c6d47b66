// What the controller knows of one task: the engine that serves it, the one that is to replace it,
// what the plan wants of it, what the shell has been told, and the switch that is going on.
// Threads: plain value, used by the controller only.
#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.hpp"
#include "base/quantity.hpp"
#include "runtime/frame.hpp"

namespace saccade::runtime {

struct TaskRun {
  std::optional<EngineKey> active;   // serves
  std::optional<EngineKey> standby;  // loading or warming, to be swapped in

  std::optional<std::size_t> target;  // the plan's variant; absent = off
  Fps granted{0.0};                   // by the plan

  bool removed = false;
  bool source_lost = false;

  // The shell has been told:
  Fps demand{0.0};
  Fps rate{0.0};
  std::optional<Fps> shadow;

  // The switch that is going on: the target is not served yet.
  bool switching = false;
  std::optional<std::size_t> from;  // the variant that served when it began
  bool both_fit = false;            // so far: nothing had to go first, no rate was lowered
  std::int64_t lost = 0;

  bool has_served = false;  // the next swap is a switch, not a first load
  std::optional<TimePoint> last_switch;
  std::optional<std::size_t> record;       // its last entry in the list of switches, if of this transition
  std::optional<std::size_t> last_record;  // its last entry at all
  std::optional<EngineKey> recorded;       // the engine of that, for its swap time
};

}  // namespace saccade::runtime
