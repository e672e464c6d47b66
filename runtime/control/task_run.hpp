// The controller's state of one task: the engine that serves it, the one that is to replace it, what the
// plan wants of it, and what the shell was last asked to set.
// Threads: plain value, used by the controller only.
#pragma once

#include <cstddef>
#include <optional>

#include "base/quantity.hpp"
#include "runtime/frames/frame.hpp"

namespace saccade::runtime {

struct TaskRun {
  std::optional<EngineKey> active;   // serves
  Fps steady{0.0};                   // granted by the plan whose target it was; 0: it is a bridge
  std::optional<EngineKey> standby;  // loading or warming, to be swapped in

  std::optional<std::size_t> target;  // the plan's variant; absent: off
  Fps granted{0.0};                   // by the plan
  bool switching = false;             // the target does not serve yet; true whenever there is a standby
  bool awaited = false;               // nothing serves, and frames wait for the target
  bool bridging = false;              // the standby is no target but a bridge (runtime/control/bridge.hpp)

  bool removed = false;
  bool source_lost = false;
  bool spare = false;  // an engine is to be kept ready, though the task is not demanded

  // Last set by an action:
  Fps demand{0.0};
  Fps rate{0.0};
  std::optional<Fps> shadow;
};

}  // namespace saccade::runtime
