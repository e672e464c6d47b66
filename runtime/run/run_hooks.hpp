// What a run reports while it is running: events for log and event stream, and its status for a live view.
// Both shells report the same events; only the real one reports a status.
// Threads: plain values; the hooks are called on the thread that runs the shell.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/control/actions.hpp"
#include "runtime/control/switch_totals.hpp"
#include "runtime/frames/capture_facts.hpp"
#include "runtime/frames/frame_ledger.hpp"
#include "runtime/run/memory_use.hpp"
#include "runtime/run/result_listener.hpp"
#include "runtime/run/run_config.hpp"
#include "runtime/run/run_summary.hpp"
#include "vision/accuracy/average_precision.hpp"
#include "vision/decode/output_port.hpp"

namespace saccade::runtime {

// A task without its counters: cheap to copy.
struct TaskOutline {
  TaskId id;
  TaskNumber index = 0;              // as RealShell::push() and latest_frame() take it
  profiles::ProfileSetPtr profiles;  // indexed by `variant` and the frames' variants
  Fps demanded{0.0};
  Fps granted{0.0};                    // by the plan
  Fps rate{0.0};                       // in force; lower than granted in a transition
  std::optional<std::size_t> variant;  // serving variant
  bool standby = false;                // an engine is to be kept ready while it is not demanded
  std::optional<std::size_t> spare;    // the variant of that engine; absent: there is none yet, or no room
  Regions regions;
  // Output ports of the serving engine, as its graph declares them; null: none serves.
  std::shared_ptr<const std::vector<vision::OutputPort>> outputs;
  bool pushed = false;           // clients send its frames
  bool source_connected = true;  // false while a lost source is reconnected; true for tasks without one
  std::string source_trouble;    // why it is not connected; empty: it is, or the reason is unknown
};

struct TaskStatus : TaskOutline {
  TaskFrames frames;  // since the start of the run
  // Of the latest frames with known objects; absent: there are none.
  std::optional<vision::MeanPrecision> live_precision;
  std::optional<CaptureFacts> capture;  // absent: the task has had no camera
};

struct ProcessorHealth {
  std::size_t left_behind = 0;  // abandoned inferences; others run meanwhile
  bool out_of_service = false;  // no inference runs any more: too many were abandoned
};

// The plan and the serving state at one instant, without counters.
struct RunOutline {
  Duration at{0};                                     // as in RunStatus
  std::vector<TaskOutline> tasks;                     // the requested ones, in the configuration's order
  std::vector<double> corrections;                    // per processor, as a plan made now takes them
  std::vector<Seconds> guards;                        // as in RunStatus
  std::vector<double> decoding;                       // as in RunStatus
  std::vector<ProcessorHealth> processors;            // by index
  std::shared_ptr<const scheduler::Plan> plan;        // as in RunStatus
  std::shared_ptr<const scheduler::Snapshot> wanted;  // as in RunStatus

  [[nodiscard]] Seconds guard(ProcessorIndex processor) const {
    return processor < guards.size() ? guards[processor] : wanted->processors.at(processor).guard;
  }
};

// A run at one instant, as an immutable value; the counters of all tasks are of the same instant.
struct RunStatus {
  Duration at{0};                   // since time 0; 0 while the first engines load
  std::vector<TaskStatus> tasks;    // of the newest configuration, in its order
  std::vector<Duration> busy;       // per processor, since the start
  std::vector<double> corrections;  // per processor, in force
  std::vector<Seconds> guards;      // likewise; empty: those of `wanted`
  // Likewise, as plans use them: without what decoding takes of the processor.
  std::vector<double> capacities;
  std::vector<double> decoding;   // per processor: what decoding takes of its CPUs, in force; empty: nothing
  std::vector<double> slowdowns;  // likewise: how many times its own time a job takes, emulated; empty: once
  std::shared_ptr<const scheduler::Plan> plan;        // running; its tasks may be of an older configuration
  std::shared_ptr<const scheduler::Snapshot> wanted;  // the state in force; never null
  std::uint64_t generation = 0;         // of the wanted state; newer than the plan's while it is solved
  bool settled = false;                 // the plan is the newest and all its engines serve
  std::optional<EnergyReading> energy;  // absent: neither measured nor modelled
  Bytes reserved{0.0};                  // of the host's memory
  Bytes reserved_peak{0.0};
  std::vector<MemoryUse> memories;  // of devices, in the order in which processors name them
  std::int64_t switches = 0;        // so far
  std::shared_ptr<const SwitchTotals> switch_totals = std::make_shared<SwitchTotals>();
  std::vector<SwitchSummary> last_switches;  // at most kLastSwitches, oldest first

  [[nodiscard]] Seconds guard(ProcessorIndex processor) const {
    return processor < guards.size() ? guards[processor] : wanted->processors.at(processor).guard;
  }
  // The processor time that plans may use now, in processor-seconds per second.
  [[nodiscard]] double budget(ProcessorIndex processor) const {
    const double capacity =
        processor < capacities.size() ? capacities[processor] : wanted->processors.at(processor).capacity;
    return capacity - guard(processor).value();
  }
};
inline constexpr std::size_t kLastSwitches = 20;

struct RunHooks {
  // `at` as in RunStatus.
  std::function<void(Duration at, const action::Report&)> event;
  bool drop_events = false;  // report every dropped frame as an event
  // Each of the controller's actions, just before it is executed; `now` by the shell's clock.
  std::function<void(const Action&, TimePoint now)> action;
  std::function<void(const RunStatus&)> status;
  Duration status_interval = std::chrono::milliseconds(250);
  std::shared_ptr<ResultListener> results = nullptr;  // null: none; called by the workers
};

}  // namespace saccade::runtime
