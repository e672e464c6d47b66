// What a run tells while it goes on: events for the log and the event stream, its status for a live
// view. Both shells tell the same events; only the real one has a status to tell.
// Threads: plain values; the hooks are called by whoever runs the shell.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/controller.hpp"
#include "runtime/frame_ledger.hpp"
#include "runtime/run_config.hpp"
#include "runtime/run_summary.hpp"

namespace saccade::runtime {

struct TaskStatus {
  TaskId id;
  TaskIndex index = 0;               // as RealShell::latest_frame() takes it
  profiles::ProfileSetPtr profiles;  // what `variant` and the frames' variants count in
  TaskFrames frames;                 // since the start of the run
  Fps demanded{0.0};
  Fps granted{0.0};                    // by the plan
  Fps rate{0.0};                       // in force; lower than granted in a transition
  std::optional<std::size_t> variant;  // that serves
  Regions regions;
  bool pushed = false;           // clients send its frames
  bool source_connected = true;  // false: the source is lost, and is looked for; of one without, always true
};

// What a run is like at one moment: a value that nothing changes any more. The books of all tasks are
// of the same instant.
struct RunStatus {
  Duration at{0};                                     // since time 0; 0 while the first engines load
  std::vector<TaskStatus> tasks;                      // of the newest configuration, in its order
  std::vector<Duration> busy;                         // per processor, since the start
  std::vector<double> corrections;                    // per processor, in force
  std::shared_ptr<const scheduler::Plan> plan;        // that runs; its tasks may be of an older configuration
  std::shared_ptr<const scheduler::Snapshot> wanted;  // the state in force; never null
  std::uint64_t generation = 0;         // of what is wanted; newer than the plan's while it is solved
  bool settled = false;                 // the plan is the newest and all its engines serve
  std::optional<EnergyReading> energy;  // absent: neither measured nor modelled
  Bytes reserved{0.0};
  Bytes reserved_peak{0.0};
  std::int64_t switches = 0;  // so far
  std::shared_ptr<const SwitchTotals> switch_totals = std::make_shared<SwitchTotals>();
  std::vector<SwitchSummary> last_switches;  // at most kLastSwitches, oldest first
};
inline constexpr std::size_t kLastSwitches = 20;

struct RunHooks {
  // plan | load | warm | swap | drain | unload | drop | fault | ...; `at` as in RunStatus.
  std::function<void(Duration at, const action::Report&)> event;
  bool drop_events = false;  // every dropped frame is an event, too
  std::function<void(const RunStatus&)> status;
  Duration status_interval = std::chrono::milliseconds(250);
};

}  // namespace saccade::runtime
