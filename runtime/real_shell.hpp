// The shell of real time: threads, devices and the steady clock around the same Controller and
// Dispatcher that the simulator drives. One worker per processor, pinned to its CPUs; one loader; one
// solver thread; one capture thread per task whose frames are not pushed; a stall probe; and the main loop
// (the caller of run()), which feeds the controller from one queue and carries its actions out. Everything
// but the workers keeps off the processors' CPUs where there are others.
//
// Time 0 of the run, of its ticks and of its timeline is when the first plan's engines serve (or have
// failed), at the latest after twice the load time-out. The run ends when its duration is over, at stop():
// sources stop, waiting frames are finished, what is left after two seconds is dropped as `shutdown`, so that
// nothing is in flight in the summary.
//
// Variants that use several processors at once are refused by the controller; a task that has no other
// variant is refused here.
//
// Call order: open(), then run() once. Threads: stop(), reconfigure(), push(), status() and latest_frame()
// from any thread, also before and after run(); the hooks are called on the main loop. Errors: open() says
// which sources cannot be opened; later trouble is reported by events and never ends the run.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/controller.hpp"
#include "runtime/engine.hpp"
#include "runtime/frame_source.hpp"
#include "runtime/latest_frame.hpp"
#include "runtime/pushed_frame.hpp"
#include "runtime/run_config.hpp"
#include "runtime/run_hooks.hpp"
#include "runtime/run_summary.hpp"
#include "runtime/sensors/energy_meter.hpp"
#include "scheduler/policy.hpp"

namespace saccade::runtime {

class RealShell {
 public:
  // `policy` outlives the shell. Opens the sources. Without a meter the energy is modelled from the
  // profiles, where they tell it.
  [[nodiscard]] static Result<std::unique_ptr<RealShell>> open(
      RunConfig config, std::shared_ptr<const EngineBackend> backend, const scheduler::Policy& policy,
      RunHooks hooks, const SourceOpener& opener = open_source, std::unique_ptr<EnergyMeter> meter = nullptr);
  ~RealShell();
  RealShell(const RealShell&) = delete;
  RealShell& operator=(const RealShell&) = delete;

  // Absent duration: until stop().
  [[nodiscard]] RunSummary run(std::optional<Duration> duration);
  void stop();

  // Wants another configuration: tasks are added, removed and changed by id; tasks that both have go on
  // untouched (engines, frames, books). Answers at once with the generation it became; never waits for a
  // load or a camera. What a run is built on (processors, policy, solver, backend, runtime options) must be
  // the same; a configuration that is not valid changes nothing. Refused while run() does not run. Not from
  // inside a hook: the main loop, which answers, would wait for itself.
  [[nodiscard]] Result<std::uint64_t> reconfigure(RunConfig config);
  // A frame of a task whose source is `push`, as `index` of status() names it: its size is that of the task's
  // regions and network. Never waits for an engine; `answer` is called if the frame is accepted.
  [[nodiscard]] PushVerdict push(TaskIndex task, PushedFrame frame, AnswerFrame answer);
  [[nodiscard]] RunStatus status() const;
  // What the task last saw and answered, as far as somebody asked before; `task` from status().
  [[nodiscard]] LatestFrame::Look latest_frame(TaskIndex task) const;

 private:
  class Impl;
  explicit RealShell(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace saccade::runtime
