// The questions that a simulated shell asks about faults, each at the moment when a fault could take
// effect. Unless a member is overridden, everything goes well. FaultDriver (faults.hpp) answers at
// random; a test may answer from a script.
//
// Times are since the start of the run. A task is named by its place in the configuration the run was
// opened with.
// Threads: none of its own; called from the shell's loop.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "runtime/control/controller.hpp"
#include "runtime/control/memory_amounts.hpp"
#include "scheduler/snapshot.hpp"

namespace saccade::runtime {

class FaultSource {
 public:
  virtual ~FaultSource() = default;

  // --- what changes by itself
  // When turn() is due next; absent: nothing is left to happen. Read again after every turn().
  [[nodiscard]] virtual std::optional<Duration> next() const { return std::nullopt; }
  struct Turn {
    bool reshape = false;       // the wanted state changed: wanted() gives the new one
    bool reload = false;        // attempt to load an invalid configuration
    bool calm = false;          // a calm begins: hanging loads return
    std::vector<Event> events;  // passed to the controller as they are
  };
  [[nodiscard]] virtual Turn turn(Duration /*now*/, const MemoryAmounts& /*reserved*/) { return {}; }
  struct Wish {
    scheduler::Snapshot snapshot;      // of all tasks, the removed ones included
    std::vector<std::size_t> removed;  // ascending; never all tasks
  };
  // The state to run, derived from the timeline's.
  [[nodiscard]] virtual Wish wanted(const scheduler::Snapshot& state, Duration /*now*/) {
    return {state, {}};
  }

  // --- asked when a job begins
  struct Fate {
    Errors errors;                  // not empty: it fails with these
    std::int64_t factor = 1;        // on the time it takes
    std::optional<Duration> takes;  // exactly this time; the factor is then ignored
  };
  [[nodiscard]] virtual Fate load(TaskIndex /*task*/, std::size_t /*variant*/, Duration /*now*/) {
    return {};
  }
  [[nodiscard]] virtual Fate warm_up(TaskIndex /*task*/, std::size_t /*variant*/, int /*inferences*/,
                                     Duration /*now*/) {
    return {};
  }
  [[nodiscard]] virtual Fate unload(Duration /*now*/) { return {}; }
  [[nodiscard]] virtual Fate solve() { return {}; }  // one that fails returns no plan

  // --- asked per frame
  struct Camera {
    bool delivers = true;
    std::optional<Duration> late_until;  // the capture is held up until then
    const char* fault = nullptr;         // what the source reports; null: it is well
  };
  [[nodiscard]] virtual Camera camera(TaskIndex /*task*/, Duration /*now*/) { return {}; }
  [[nodiscard]] virtual std::int64_t inference_percent(TaskIndex /*task*/, ProcessorIndex /*processor*/,
                                                       Duration /*now*/) {
    return 100;  // of the profiled time
  }
  [[nodiscard]] virtual bool inference_fails(TaskIndex /*task*/, std::size_t /*variant*/, Duration /*now*/) {
    return false;
  }
};

}  // namespace saccade::runtime
