// The shell of real time: threads, devices and the steady clock around the same Conductor, Controller and
// FrameDesk that the simulation drives. One worker per processor, pinned to its CPUs; a loader; a solver
// thread; one capture thread per task whose frames are not pushed; stall probes; and the main loop (the
// caller of run()), which feeds the controller from one queue and carries its actions out. All but the
// workers stay off the processors' CPUs where there are others.
//
// Time 0 of the run, of its ticks and of its timeline is when the first plan's engines serve (or have
// failed), at the latest after twice the load time-out; sources get up to a second to open before it. A
// source that cannot be opened is lost, as if it had been lost during the run: its task is planned without
// it, and opening is retried. The run ends after its duration or at stop(): sources stop, waiting frames are
// finished, and what is left after two seconds is dropped as `shutdown`, so that nothing is in flight in the
// summary.
//
// A variant of several stages is one engine with a part on each of its processors: a frame passes from worker
// to worker, each of which runs its stage, and the tensors that cross are kept in between. Variants that use
// several processors without stages are refused by the controller; a task that has no other variant is
// refused here.
//
// Call order: open(), then run() once. Threads: stop(), reconfigure(), push(), status(), outline(), elapsed()
// and latest_frame() from any thread, also before and after run(); the hooks are called on the main loop.
// Errors: open() names sources that can never deliver (an unknown data set); a source that may only be
// unavailable, a camera or a file, is a lost source. Later trouble is reported by events and never ends the
// run.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/control/controller.hpp"
#include "runtime/engines/engine.hpp"
#include "runtime/machine/energy_meter.hpp"
#include "runtime/real/latest_frame.hpp"
#include "runtime/real/pushed_frame.hpp"
#include "runtime/run/change_result.hpp"
#include "runtime/run/run_config.hpp"
#include "runtime/run/run_hooks.hpp"
#include "runtime/run/run_summary.hpp"
#include "runtime/sources/frame_source.hpp"
#include "scheduler/policy.hpp"

namespace saccade::runtime {

class RealShell {
 public:
  // Opens the sources that need no device, network or file; `policy` must outlive the shell. Without a meter
  // the energy is modelled from the profiles, as far as they contain it.
  [[nodiscard]] static Result<std::unique_ptr<RealShell>> open(
      RunConfig config, std::shared_ptr<const EngineBackend> backend, const scheduler::Policy& policy,
      RunHooks hooks, const SourceOpener& opener = open_source, std::unique_ptr<EnergyMeter> meter = nullptr);
  ~RealShell();
  RealShell(const RealShell&) = delete;
  RealShell& operator=(const RealShell&) = delete;

  // Absent duration: until stop().
  [[nodiscard]] RunSummary run(std::optional<Duration> duration);
  void stop();

  // Adopts another configuration: tasks are added, removed and changed by id; unchanged ones continue
  // undisturbed (engines, frames, counters). Counters of tasks that were removed long ago are discarded
  // (run/task_roster.hpp). Returns the new generation; waits for the main loop, never for a load or a camera.
  // Errors: a configuration that is invalid or changes what is fixed (run/reconfiguration.hpp) has no effect,
  // nor does any while run() is not running. Must not be called from a hook: the main loop, which answers,
  // would wait for itself.
  [[nodiscard]] ChangeResult<std::uint64_t> reconfigure(RunConfig config);
  // A frame for a task whose source is `push`; `task` is an `index` of status(). Its size must be that of the
  // task's regions and network. Never waits for an engine; `answer` is called only if the frame is accepted.
  [[nodiscard]] PushVerdict push(TaskNumber task, PushedFrame frame, AnswerFrame answer);
  // A copy of the counters of all tasks: outline() and elapsed() are far cheaper if those are not needed.
  [[nodiscard]] RunStatus status() const;
  // Without counters; of one task if `only` names one, without visiting any other. An unknown task has no
  // entry.
  [[nodiscard]] RunOutline outline(const std::optional<TaskId>& only = std::nullopt) const;
  // Time since time 0 of the run, 0 while the first engines load; the same as status().at.
  [[nodiscard]] Duration elapsed() const;
  // The task's latest frame and answer, as requested by an earlier call; `task` is an `index` of status().
  [[nodiscard]] LatestFrame::Look latest_frame(TaskNumber task) const;
  [[nodiscard]] std::optional<LatestAnswer> latest_answer(TaskNumber task) const;

 private:
  class Impl;
  explicit RealShell(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace saccade::runtime
