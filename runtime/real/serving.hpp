// Where frames flow: the dispatcher, the ticks, the frames' memory and the books, under one mutex.
// Capture threads bring frames in at their ticks, workers take them out and bring them back done, the
// main loop changes rates and routes. Nothing here waits for a load or a solve.
//
// Frame memory: each task has its gate's frames, one for each processor and one that is being captured,
// made once. A frame's number says which of them it is in, so nothing is looked up or allocated per frame.
//
// Call order: set_* and swap() at any time; start() once, which begins the ticks; stop_sources(), then
// finish_frames(), then stop_workers().
// Threads: all members may be called from any thread; the waiting ones say so.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "runtime/controller.hpp"
#include "runtime/dispatcher.hpp"
#include "runtime/drift_filter.hpp"
#include "runtime/engine.hpp"
#include "runtime/exclusions.hpp"
#include "runtime/frame_ledger.hpp"
#include "runtime/frame_source.hpp"
#include "runtime/real/message_queue.hpp"
#include "runtime/ring.hpp"
#include "runtime/run_summary.hpp"
#include "runtime/segment_book.hpp"
#include "runtime/stall_book.hpp"
#include "runtime/tick_schedule.hpp"

namespace saccade::runtime {

// An engine as the workers see it.
struct ServingEngine {
  Engine* engine = nullptr;
  EngineKey key = 0;
  std::size_t variant = 0;
  Duration profiled{0};  // time of one frame by the profile; 0 = not known
};

class Serving {
 public:
  struct Setup {
    std::vector<double> capacities;  // per processor
    std::size_t tasks = 0;
    std::size_t gate_frames = 2;
    std::vector<Duration> segment_starts;
    bool announce_drops = false;  // every drop is told to the main loop
  };
  // `clock` and `queue` outlive this.
  Serving(const Setup& setup, const Clock& clock, MessageQueue& queue);

  // --- main loop
  void start(TimePoint start);
  void set_rate(const action::SetRate& rate);
  void set_demand(TaskIndex task, Fps demand);
  void set_granted(TaskIndex task, Fps granted);
  void set_solving(bool pending);
  // Exchanges the route; returns how long the exchange took. Drained is posted for the old engine when
  // its last frame has ended, maybe at once.
  Duration swap(const action::Swap& swap, const std::optional<ServingEngine>& engine);
  void stop_sources(TimePoint end);  // ticks before `end` are still captured
  // Lets waiting frames be processed for `patience`, then drops what is left as `shutdown`.
  void finish_frames(Duration patience);
  void stop_workers();
  void stalled(TimePoint from, TimePoint to);

  // --- capture threads
  struct Tick {
    TimePoint due{};
    Duration media_time{0};  // since the start of the run
    Duration period{0};
    FrameNumber number = 0;
    Frame* frame = nullptr;  // to be filled
  };
  // Waits for the task's next tick; absent: the sources are stopped.
  [[nodiscard]] std::optional<Tick> next_tick(TaskIndex task);
  void captured(TaskIndex task, const Tick& tick, bool got_frame);

  // --- workers
  struct Job {
    Start start;
    ServingEngine engine;
    const Frame* frame = nullptr;
  };
  // Waits for the next frame to run; absent: the worker is to end.
  [[nodiscard]] std::optional<Job> next_job(ProcessorIndex processor);
  void finished(ProcessorIndex processor, const Job& job, Duration inference, const Status& status,
                FrameLedger::Judged judged);

  // --- readers
  struct TaskView {
    TaskFrames frames;
    Fps demand{0.0};
    Fps rate{0.0};  // the ceiling in force
    std::optional<std::size_t> variant;
  };
  [[nodiscard]] std::vector<TaskView> tasks() const;
  [[nodiscard]] Duration busy(ProcessorIndex processor) const;
  // A processor's new correction when it changed; to be asked several times a second.
  [[nodiscard]] std::optional<double> drift(ProcessorIndex processor, TimePoint now);
  [[nodiscard]] double correction(ProcessorIndex processor) const;
  // Settles the books; `tasks` gets what engines were measured to take.
  [[nodiscard]] RunSummary summarise(std::vector<RunTask> tasks, const std::vector<SwitchRecord>& switches,
                                     TimePoint end);

 private:
  struct Slot {
    Frame frame;
    TimePoint due{};
    bool used = false;
  };
  struct TaskState {
    TickSchedule schedule;
    Ring<TimePoint> passed;  // ticks that the capture thread has not come for yet, oldest first
    std::condition_variable changed;
    Fps demand{0.0};
    Fps rate{0.0};
    std::optional<ProcessorIndex> processor;  // it is routed to
    std::optional<std::size_t> variant;
    std::vector<Slot> slots;
    std::vector<std::optional<double>> residuals;  // by variant, last known
  };
  struct EngineState {
    ServingEngine engine;
    TaskIndex task = 0;
    bool draining = false;
    // Good frames that the controller still wants to hear of: it trusts an engine after a row of them.
    int untold = Exclusions::kTrusted;
  };

  [[nodiscard]] Slot& slot(TaskIndex task, FrameNumber number);
  [[nodiscard]] FrameNumber take_slot(TaskIndex task);
  void count_tick(TaskIndex task, TimePoint due);
  // Takes the ticks up to `until` that have passed; those that the gate could not hold any more are
  // demanded frames that nobody came for.
  void collect_ticks(TaskIndex task, TimePoint until);
  void drop(const Drop& drop, TimePoint now);
  void drained(EngineKey engine);
  void keep_residual(const EngineState& state);
  void wake(TaskIndex task);

  const Clock& clock_;
  MessageQueue& queue_;
  const bool announce_drops_;
  const std::size_t most_late_;  // ticks that a late capture thread may catch up with

  mutable std::mutex mutex_;
  Dispatcher dispatcher_;
  FrameLedger ledger_;
  SegmentBook segments_;
  StallBook stalls_;
  DriftFilter drift_;
  std::vector<TaskState> tasks_;
  std::vector<std::condition_variable> frames_ready_;  // per processor
  std::condition_variable idle_;
  std::map<EngineKey, EngineState> engines_;  // routed or draining; a handful
  FrameNumber sequence_ = 0;
  std::optional<TimePoint> start_;
  bool sources_stopped_ = false;
  bool workers_stopped_ = false;
};

}  // namespace saccade::runtime
