// The frame desk (frame_desk.hpp) between threads: under one mutex, with the clock and the frames'
// memory. Capture threads bring frames in at their ticks, workers take them out and bring them back
// done, the main loop changes rates and routes. Nothing here waits for a load or a solve.
//
// Frame memory: each task has its gate's frames, one for each processor, one that is being captured and one
// that is being pushed, made once, before the first is captured (prepare_frames()). A frame's number says
// which of them it is in, so nothing is looked up or allocated per frame.
//
// Call order: set_* and swap() at any time; start() once, which begins the ticks; stop_sources(), then
// finish_frames(), then stop_workers().
// Threads: all members may be called from any thread; the waiting ones say so.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include "runtime/frame_desk.hpp"
#include "runtime/frame_source.hpp"
#include "runtime/latest_frame.hpp"
#include "runtime/pushed_frame.hpp"
#include "runtime/real/message_queue.hpp"

namespace saccade::runtime {

class Serving final : private FrameListener {
 public:
  // `clock` and `queue` outlive this; with `announce_drops` every drop is told to the main loop.
  Serving(const FrameDesk::Setup& setup, bool announce_drops, const Clock& clock, MessageQueue& queue);

  // --- main loop
  void start(TimePoint start);
  void set_rate(const action::SetRate& rate);
  void set_demand(TaskIndex task, Fps demand);
  void set_granted(TaskIndex task, Fps granted);
  void set_solving(bool pending);
  // Exchanges the route; returns how long the exchange took.
  Duration swap(const action::Swap& swap, const std::optional<ServingEngine>& engine);
  [[nodiscard]] std::size_t task_count() const;
  void add_task();  // with the next index
  void remove_task(TaskIndex task);
  void retime(const std::vector<Duration>& segment_starts);
  // Frames of this task are captured under this number from now on; whoever captures under an older one is
  // to end.
  int open_capture(TaskIndex task);
  // Whether the task's frames are pushed from now on, or captured.
  void set_pushed(TaskIndex task, bool pushed);
  void close_capture(TaskIndex task) { (void)open_capture(task); }
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
    LatestFrame* latest = nullptr;
  };
  // Takes the memory for all frames of the task, each of `values` numbers, so that none is taken later, when
  // more of them happen to wait than ever before. A frame that is on its way keeps what it has.
  void prepare_frames(TaskIndex task, std::size_t values);
  // Waits for the task's next tick; absent: the capture is closed or the sources are stopped.
  [[nodiscard]] std::optional<Tick> next_tick(TaskIndex task, int capture);
  [[nodiscard]] bool capture_open(TaskIndex task, int capture) const;
  // Waits; false: as above.
  [[nodiscard]] bool pause(TaskIndex task, int capture, Duration time);
  // Of the source of this capture: one that is closed has nothing to say any more.
  void set_connected(TaskIndex task, int capture, bool connected);
  void captured(TaskIndex task, const Tick& tick, bool got_frame);

  // --- clients
  // The frame is due now. Its memory is exchanged for other when it is accepted, and only then is it
  // answered.
  [[nodiscard]] PushVerdict push(TaskIndex task, std::vector<float>& input, AnswerFrame answer);
  [[nodiscard]] LatestFrame& latest(TaskIndex task);

  // --- workers
  struct Job {
    Start start;
    ServingEngine engine;
    const Frame* frame = nullptr;
    LatestFrame* latest = nullptr;
    bool awaited = false;  // a client waits for what the engine says
  };
  // Waits for the next frame to run; absent: the worker is to end.
  [[nodiscard]] std::optional<Job> next_job(ProcessorIndex processor);
  // `logits`: of a frame that is awaited.
  void finished(ProcessorIndex processor, const Job& job, Duration inference, const Status& status,
                FrameLedger::Judged judged, std::vector<float> logits = {});

  // --- people who look
  [[nodiscard]] LatestFrame::Look look(TaskIndex task);

  // --- readers
  struct TaskView {
    TaskFrames frames;
    FrameDesk::TaskView now;
    bool connected = true;  // the source
  };
  struct View {                   // of one instant
    std::vector<TaskView> tasks;  // by index
    std::vector<Duration> busy;   // per processor
    std::vector<double> corrections;
  };
  [[nodiscard]] View view() const;
  // A processor's new correction when it changed; to be asked several times a second.
  [[nodiscard]] std::optional<double> drift(ProcessorIndex processor, TimePoint now);
  // Tasks whose source is lost from now on; to be asked several times a second.
  [[nodiscard]] std::vector<TaskIndex> lost_sources(TimePoint now);
  [[nodiscard]] RunSummary summarise(std::vector<RunTask> tasks, const std::vector<SwitchRecord>& switches,
                                     TimePoint end);

 private:
  struct Slot {
    Frame frame;
    AnswerFrame answer;  // empty: nobody waits for it
    bool used = false;
  };
  struct TaskState {
    std::condition_variable changed;
    std::vector<Slot> slots;
    int capture = 0;  // the number that is open
    LatestFrame latest;
    bool connected = true;
  };

  void tell(Event event) override;
  void dropped(const Drop& drop, TimePoint at) override;
  void make_task();
  [[nodiscard]] Slot& slot(TaskIndex task, FrameNumber number);
  [[nodiscard]] FrameNumber take_slot(TaskIndex task);
  void wake(TaskIndex task);

  const Clock& clock_;
  MessageQueue& queue_;
  const bool announce_drops_;
  const std::size_t slots_per_task_;

  mutable std::mutex mutex_;
  FrameDesk desk_;
  std::deque<TaskState> tasks_;  // stays in place as it grows: capture threads wait in it
  std::vector<std::condition_variable> frames_ready_;  // per processor
  std::condition_variable idle_;
  FrameNumber sequence_ = 0;
  bool sources_stopped_ = false;
  bool workers_stopped_ = false;
};

}  // namespace saccade::runtime
