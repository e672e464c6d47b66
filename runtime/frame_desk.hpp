// Where frames are counted in and out: the dispatcher, the ticks, the drift filter and the books as one
// state machine without a thread or a clock; `now` is an argument. Each shell has one: the real one
// under a mutex (real/serving.hpp), the simulated one as it is.
//
// What it has to say goes to the listener, during the call: events for the controller (Drained once the
// old engine's last frame has ended, FramesLost, SourceBack, InferenceEnded as far as the controller wants
// to hear of it) and every drop.
//
// A task whose frames are pushed has no ticks and no source that could be lost: its clients send when they
// like. A frame that comes is due at once. It is a demanded one as far as a bucket at the demanded rate
// admits it, so that neither a silent client nor one that floods makes the achieved rate say nothing.
//
// Call order: set_* and swap() at any time; start() once, which begins the ticks; take_tick() and
// offer(), or push(), bring frames in, next() and finished() take them out.
// Threads: none of its own. No allocation per frame once warm.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "runtime/controller.hpp"
#include "runtime/dispatcher.hpp"
#include "runtime/drift_filter.hpp"
#include "runtime/engine.hpp"
#include "runtime/exclusions.hpp"
#include "runtime/frame_ledger.hpp"
#include "runtime/ring.hpp"
#include "runtime/run_summary.hpp"
#include "runtime/segment_book.hpp"
#include "runtime/source_watch.hpp"
#include "runtime/stall_book.hpp"
#include "runtime/tick_schedule.hpp"

namespace saccade::runtime {

// An engine as those who run frames see it.
struct ServingEngine {
  Engine* engine = nullptr;  // null where engines are simulated
  EngineKey key = 0;
  std::size_t variant = 0;
  Duration profiled{0};  // time of one frame by the profile; 0 = not known
};

class FrameListener {
 public:
  virtual ~FrameListener() = default;
  virtual void tell(Event event) = 0;
  virtual void dropped(const Drop& drop, TimePoint at) = 0;  // the frame has ended
};

class FrameDesk {
 public:
  struct Setup {
    std::vector<double> capacities;  // per processor
    std::size_t tasks = 0;
    std::size_t gate_frames = 2;
    std::vector<Duration> segment_starts;
  };
  FrameDesk(const Setup& setup, FrameListener& listener);  // `listener` outlives this

  // --- the controller's wishes
  void start(TimePoint now);
  void set_rate(const action::SetRate& rate, TimePoint now);
  void set_demand(TaskIndex task, Fps demand, TimePoint now);
  void set_granted(TaskIndex task, Fps granted, TimePoint now);
  void set_solving(bool pending) { dispatcher_.set_solving(pending); }
  // Whether the task's frames are pushed by clients, or come from a source at its ticks (the default).
  void set_pushed(TaskIndex task, bool pushed, TimePoint now);
  void swap(const action::Swap& swap, const std::optional<ServingEngine>& engine, TimePoint now);

  // --- another configuration
  void add_task();  // with the next index; nothing is due for it yet
  // Its demand is 0: nobody comes for the ticks that have passed any more.
  void remove_task(TaskIndex task);
  void retime(const std::vector<Duration>& segment_starts, TimePoint now);

  // --- frames come in
  // Notes the ticks up to `until` as passed. Those that a late capture could not bring into the gate
  // any more are demanded frames that nobody came for.
  void collect_ticks(TaskIndex task, TimePoint until);
  // The oldest passed tick, absent when there is none; it then counts as demanded.
  [[nodiscard]] std::optional<TimePoint> take_tick(TaskIndex task);
  // When the next tick passes; absent while the demand is 0 or before the start.
  [[nodiscard]] std::optional<TimePoint> next_tick(TaskIndex task) const;
  // From a frame's due time to its deadline.
  [[nodiscard]] Duration period(TaskIndex task) const;
  // A frame for a tick: it is received.
  void offer(TaskIndex task, FrameNumber frame, TimePoint due, Duration period, TimePoint now);
  // A frame that a client sent to a task whose frames are pushed, after the start. True: it is received.
  // False: as many wait as may; it is rejected, and those that wait stay.
  [[nodiscard]] bool push(TaskIndex task, FrameNumber frame, TimePoint now);
  // Tasks whose source is lost from now on (source_watch.hpp). To be asked several times a second.
  [[nodiscard]] std::vector<TaskIndex> lost_sources(TimePoint now);

  // --- and out
  [[nodiscard]] std::optional<Start> next(ProcessorIndex processor, TimePoint now) {
    return dispatcher_.next(processor, now);
  }
  void finished(ProcessorIndex processor, const Start& start, TimePoint now, Duration inference,
                const Status& status, FrameLedger::Judged judged);
  void drop_waiting(DropReason reason, TimePoint now);

  // --- the books
  void stalled(TimePoint from, TimePoint to) { stalls_.stalled(from, to); }
  // A processor's new correction when it changed (drift_filter.hpp).
  [[nodiscard]] std::optional<double> drift(ProcessorIndex processor, TimePoint now);
  // Settles the books; `tasks` gets what engines were measured to take.
  [[nodiscard]] RunSummary summarise(std::vector<RunTask> tasks, const std::vector<SwitchRecord>& switches,
                                     TimePoint end);

  [[nodiscard]] const Dispatcher& dispatcher() const { return dispatcher_; }
  [[nodiscard]] const FrameLedger& ledger() const { return ledger_; }
  [[nodiscard]] const DriftFilter& drift() const { return drift_; }
  [[nodiscard]] const std::optional<TimePoint>& started() const { return start_; }
  [[nodiscard]] const ServingEngine& engine(EngineKey key) const { return engines_.at(key).engine; }

  struct TaskView {
    Fps demand{0.0};
    Fps rate{0.0};                            // the ceiling in force
    std::optional<std::size_t> variant;       // that serves
    std::optional<ProcessorIndex> processor;  // it is routed to
    bool source_lost = false;
    bool pushed = false;
  };
  [[nodiscard]] const TaskView& view(TaskIndex task) const { return tasks_.at(task).view; }

 private:
  struct TaskState {
    TickSchedule schedule;
    Regulator arrivals;  // of pushed frames, at the demanded rate
    SourceWatch source;
    bool watched = false;    // frames are due from the source
    Ring<TimePoint> passed;  // ticks that nobody has come for yet, oldest first
    TaskView view;
    std::vector<std::optional<double>> residuals;  // by variant, last known
  };
  struct EngineState {
    ServingEngine engine;
    TaskIndex task = 0;
    bool draining = false;
    // Good frames that the controller still wants to hear of: it trusts an engine after a row of them.
    int untold = Exclusions::kTrusted;
  };
  void begin_ticks(TaskIndex task, TimePoint now);
  void count_tick(TaskIndex task, TimePoint due);
  void drop(const Drop& drop, TimePoint now);
  void drained(EngineKey engine);
  void keep_residual(const EngineState& state);

  FrameListener& listener_;
  const std::vector<double> capacities_;
  const std::size_t most_late_;  // ticks that a late capture may catch up with
  Dispatcher dispatcher_;
  FrameLedger ledger_;
  SegmentBook segments_;
  StallBook stalls_;
  DriftFilter drift_;
  std::vector<TaskState> tasks_;
  std::map<EngineKey, EngineState> engines_;  // routed or draining; a handful
  std::optional<TimePoint> start_;
};

}  // namespace saccade::runtime
