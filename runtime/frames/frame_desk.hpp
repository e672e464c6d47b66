// Frame accounting: dispatcher, ticks, drift filter and counters as one state machine without a thread or a
// clock; `now` is an argument. The real shell has one under a mutex (real/serving.hpp), the simulated one
// uses it directly. Events are reported to the listener during the call.
//
// A task whose frames are pushed has no ticks and no source that could be lost: its clients send at any time,
// and a frame is due on arrival. It counts as demanded if a token bucket at the demanded rate admits it, so
// that neither an idle nor a flooding client distorts the achieved rate.
//
// Call order: set_* and swap() at any time; start() once, which begins the ticks; take_tick() and offer(), or
// push(), bring frames in; next() and finished() take them out.
// Threads: none of its own; calls must not overlap. No allocation per frame once warm.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/result.hpp"

#include "runtime/frames/dispatcher.hpp"
#include "runtime/frames/drift_filter.hpp"
#include "runtime/frames/frame_ledger.hpp"
#include "runtime/frames/guard_keeper.hpp"
#include "runtime/frames/ring.hpp"
#include "runtime/frames/segment_book.hpp"
#include "runtime/frames/source_watch.hpp"
#include "runtime/frames/stall_book.hpp"
#include "runtime/frames/tick_schedule.hpp"

namespace saccade::runtime {

class Engine;
class FrameDecoder;
class StageChain;

// The stages of an engine, in order: at least two, of which neighbours have no processor in common.
struct EngineStages {
  struct One {
    StagePlaces processors;  // in turn
    Duration profiled{0};    // of a frame in it; 0 = not known
  };
  std::vector<One> stages;
  std::size_t max_in_flight = 1;

  // Of a frame on average, in all its stages there; 0: none.
  [[nodiscard]] Duration profiled_on(ProcessorIndex processor) const;
};

// An engine as the dispatching side sees it.
struct ServingEngine {
  Engine* engine = nullptr;  // null where engines are simulated
  EngineKey key = 0;
  std::size_t variant = 0;
  Duration profiled{0};             // time of one frame by the profile; 0 = not known
  FrameDecoder* decoder = nullptr;  // of the engine; null likewise
  StageChain* chain = nullptr;      // of an engine of several stages, in place of `engine`; null likewise
  std::shared_ptr<const EngineStages> stages = nullptr;  // null: the network is whole

  [[nodiscard]] Duration profiled_in(std::size_t stage) const {
    return stages ? stages->stages.at(stage).profiled : profiled;
  }
};

// Called during the desk's own calls, under the caller's lock: implementations neither block nor change the
// desk.
class FrameListener {
 public:
  virtual ~FrameListener() = default;
  virtual void drained(EngineKey engine) = 0;    // the last frame of an engine that was swapped out has ended
  virtual void frames_lost(TaskIndex task) = 0;  // a frame was dropped with cause `switching`
  virtual void source_back(TaskIndex task) = 0;  // a source that was lost has delivered again
  // The first `announced` good inferences of an engine, every failed one, and as many good ones after it.
  virtual void inference_ended(EngineKey engine, const Status& status) = 0;
  virtual void dropped(const Drop& drop, TimePoint at) = 0;  // the frame has ended
  virtual void ticks_changed(TaskIndex /*task*/) {}  // next_tick() has changed: a new demand is in force
};

class FrameDesk {
 public:
  struct KeptGuard {
    GuardOptions options;
    Seconds start{0.05};
    std::optional<Seconds> first = {};
  };
  struct Setup {
    std::vector<double> capacities;  // per processor
    std::size_t tasks = 0;
    std::size_t gate_frames = 2;
    std::vector<Duration> segment_starts;
    int announced = 0;  // good inferences of an engine that are reported to the listener
    StallBook::Places places = {};
    // Per processor, or empty; absent: its guard does not change.
    std::vector<std::optional<KeptGuard>> guards{};
  };
  FrameDesk(const Setup& setup, FrameListener& listener);  // `listener` must outlive this

  // --- set by the controller
  void start(TimePoint now);
  void set_rate(const RateCeiling& rate, TimePoint now);
  void set_demand(TaskIndex task, Fps demand, TimePoint now);
  void set_granted(TaskIndex task, Fps granted, TimePoint now);
  void set_priority(TaskIndex task, int priority);  // its class (dispatcher.hpp)
  void set_solving(bool pending, TimePoint now);
  // Whether the task's frames are pushed by clients, or come from a source at its ticks (the default).
  void set_pushed(TaskIndex task, bool pushed, TimePoint now);
  void swap(const RouteExchange& swap, const std::optional<ServingEngine>& engine, TimePoint now);
  // Slower processors, emulated: how many times its own time each job takes, by processor; empty: once. The
  // shells keep to it with the jobs that they start; the desk only hears of the times that follow.
  void set_slowdowns(std::vector<double> slowdowns) { slowdowns_ = std::move(slowdowns); }
  [[nodiscard]] double slowdown(ProcessorIndex processor) const {
    return processor < slowdowns_.size() ? slowdowns_[processor] : 1.0;
  }

  // --- another configuration
  void add_task();  // with the next index; nothing is due for it yet
  // Its demand is 0; passed ticks that no frame was taken for count as demanded.
  void remove_task(TaskIndex task);
  // Nothing of a removed task is left: no frame, no engine. Its index may be reused.
  [[nodiscard]] bool settled(TaskIndex task) const;
  // Assigns the index to another task, with new counters; requires settled().
  void renew_task(TaskIndex task);
  void retime(const std::vector<Duration>& segment_starts, TimePoint now);

  // --- incoming frames
  // Notes the ticks up to `until` as passed. The oldest ones beyond what a late capture could still bring
  // into the gate count as demanded and missed.
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
  // False: the gate is full; the frame is rejected and the waiting ones stay.
  [[nodiscard]] bool push(TaskIndex task, FrameNumber frame, TimePoint now);
  // Tasks whose source has just been lost (source_watch.hpp). Call several times per second.
  [[nodiscard]] std::vector<TaskIndex> lost_sources(TimePoint now);

  // --- outgoing frames
  [[nodiscard]] std::optional<Start> next(ProcessorIndex processor, TimePoint now) {
    return dispatcher_.next(processor, now);
  }
  // The stage has ended, and the frame with it if that was the last one or `status` is an error; `time` and
  // `judged` are of the stage; `age` as in FrameLedger::processed(). True: frames may now be ready to start
  // on other processors, too.
  bool finished(ProcessorIndex processor, const Start& start, TimePoint now, FrameTime time,
                const Status& status, FrameLedger::Judged judged, std::optional<Duration> age = {});
  // Abandons the inference on the processor: the frame is dropped, and the engine counts as in use until
  // returned(). Frames under way that wait for another stage of the engine are dropped, too.
  void left_behind(ProcessorIndex processor, const Start& start, TimePoint now, DropReason reason);
  void returned(EngineKey engine);
  // The processor runs nothing any more: frames under way that wait for it are dropped.
  void out_of_service(ProcessorIndex processor, TimePoint now);
  void drop_waiting(DropReason reason, TimePoint now);

  // --- accounting
  // A CPU was held from outside (stall_book.hpp).
  void held(int cpu, TimePoint from, TimePoint to, Duration stolen);
  // The processors whose correction or guard has changed. Where less room is left, the correction is what the
  // load takes now. Call several times per second, but not while a plan is being made
  // (Controller::solving()).
  [[nodiscard]] std::vector<MeasuredProcessor> look(TimePoint now);
  // A plan is about to be made for another reason than look(): the corrections of all processors, as it is to
  // know them.
  [[nodiscard]] std::vector<double> revised_corrections(TimePoint now);
  [[nodiscard]] double revised_correction(ProcessorIndex processor, TimePoint now) const;  // looks only
  // The guard in force; absent: it does not change.
  [[nodiscard]] std::optional<Seconds> kept_guard(ProcessorIndex processor) const;
  // Plans know of a load on the processor that its guard may have been grown for: the guard tries smaller
  // ones again soon.
  void relieve_guard(ProcessorIndex processor, TimePoint now);
  void settle();  // closes the accounting at the end of the run
  // Measured / profiled frame time relative to the processor's correction, by variant; may be shorter than
  // the list of variants. After settle().
  [[nodiscard]] const std::vector<std::optional<double>>& residuals(TaskIndex task) const {
    return tasks_.at(task).residuals;
  }

  [[nodiscard]] const Dispatcher& dispatcher() const { return dispatcher_; }
  [[nodiscard]] const FrameLedger& ledger() const { return ledger_; }
  [[nodiscard]] const SegmentBook& segments() const { return segments_; }
  [[nodiscard]] const StallBook& stalls() const { return stalls_; }
  [[nodiscard]] const DriftFilter& drift() const { return drift_; }
  [[nodiscard]] const std::optional<TimePoint>& started() const { return start_; }
  [[nodiscard]] const ServingEngine& engine(EngineKey key) const { return engines_.at(key).engine; }

  struct TaskView {
    Fps demand{0.0};
    Fps rate{0.0};                               // the ceiling in force
    std::optional<std::size_t> variant;          // serving variant
    std::optional<ProcessorIndex> processor;     // the processor it is routed to; of its first stage, copy 0
    std::shared_ptr<const EngineStages> stages;  // of the serving variant; null: it has none
    bool source_lost = false;
    bool pushed = false;
    int priority = 0;
    std::uint64_t owners = 0;  // of the index, before this task
  };
  [[nodiscard]] const TaskView& view(TaskIndex task) const { return tasks_.at(task).view; }

 private:
  struct TaskState {
    TickSchedule schedule;
    Regulator arrivals;  // of pushed frames, at the demanded rate
    SourceWatch source;
    bool watched = false;  // frames are due from the source
    bool in_transition = false;
    Ring<TimePoint> passed;  // ticks not taken yet, oldest first
    TaskView view;
    std::vector<std::optional<double>> residuals;  // by variant, last known
  };
  struct EngineState {
    ServingEngine engine;
    TaskIndex task = 0;
    bool draining = false;
    int unannounced = 0;  // good inferences still to be reported to the listener
    int stuck = 0;        // abandoned inferences
    // On which its last inference failed. While there are any, the good ones elsewhere, in other copies of a
    // stage, are not reported: they say nothing of these.
    std::vector<ProcessorIndex> failing = {};
    bool cut_off = false;  // a processor of one of its stages runs no more

    void note(ProcessorIndex processor, bool good);
    [[nodiscard]] bool runs_everywhere() const { return failing.empty() && !cut_off; }
  };
  void begin_ticks(TaskIndex task, TimePoint now);
  // How much later a task's ticks of a new demand begin, so that they fall between those of others.
  [[nodiscard]] Duration spread(TaskIndex task, Fps demand, TimePoint now) const;
  void count_tick(TaskIndex task, TimePoint due);
  void note_causes(TaskIndex task, TimePoint now);  // for the ticks that were missed meanwhile
  void drop(const Drop& drop, TimePoint now);
  void drained_if_idle(EngineKey engine);
  void drained(EngineKey engine);
  [[nodiscard]] std::vector<DriftFilter::Asked> asked(ProcessorIndex processor) const;
  [[nodiscard]] bool corrected(ProcessorIndex processor, TimePoint now);  // another one is in force
  [[nodiscard]] std::optional<Seconds> new_guard(ProcessorIndex processor, TimePoint now);  // if it changed
  [[nodiscard]] GuardKeeper* guard_keeper(std::optional<ProcessorIndex> processor);  // null: there is none
  // Where the next frame of its gate would run.
  [[nodiscard]] std::optional<ProcessorIndex> first_processor(TaskIndex task) const;
  // To queueing: to the guard of the processor that the frame waited for.
  void note_lost(TaskIndex task, TimePoint now, std::optional<ProcessorIndex> held_up);
  void note_served(ProcessorIndex processor, const Start& start, TimePoint now, Duration worked,
                   Duration profiled);
  void keep_residual(const EngineState& state);

  FrameListener& listener_;
  const std::vector<double> capacities_;
  const std::vector<std::vector<int>> processor_cpus_;  // empty: not known
  const int announced_;
  const std::size_t gate_frames_;
  const std::size_t most_late_;  // ticks that a late capture may catch up with
  Dispatcher dispatcher_;
  FrameLedger ledger_;
  SegmentBook segments_;
  StallBook stalls_;
  DriftFilter drift_;
  std::vector<std::optional<GuardKeeper>> guards_;  // by processor; absent: its guard does not change
  std::vector<TaskState> tasks_;
  std::vector<double> slowdowns_;
  std::map<EngineKey, EngineState> engines_;  // routed or draining; a handful
  std::optional<TimePoint> start_;
  bool solving_ = false;
};

}  // namespace saccade::runtime
