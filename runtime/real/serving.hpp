// The frame desk (frames/frame_desk.hpp) shared by threads: one mutex around it, the clock, and the memory of
// frames. Capture threads bring frames in at their ticks, workers take them out and report them done, the
// main loop changes rates and routes. Nothing here waits for a load or a solve.
//
// Frame memory: each task has one frame per place in its gate, one per processor, one being captured and one
// being pushed, all allocated before its first capture (prepare_frames()). A frame's number says which of
// them holds it, so nothing is looked up or allocated per frame. Frames under way in an engine of several
// stages take others, allocated when they are first needed, and what crosses between two stages is kept in
// room that the engine lends (engines/stages.hpp) from a frame's first stage to its end.
//
// Call order: with_desk() and swap() at any time; start() once, which begins the ticks; stop_sources(), then
// finish_frames(), then stop_workers().
// Threads: any, for all members; those that wait say so.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/mutex.hpp"
#include "runtime/engines/engine.hpp"
#include "runtime/engines/frame_decoder.hpp"
#include "runtime/engines/stages.hpp"
#include "runtime/frames/frame_desk.hpp"
#include "runtime/machine/outside_time.hpp"
#include "runtime/real/inference_watch.hpp"
#include "runtime/real/latest_frame.hpp"
#include "runtime/real/live_precision.hpp"
#include "runtime/real/message_queue.hpp"
#include "runtime/real/pushed_frame.hpp"
#include "runtime/run/frame_events.hpp"
#include "runtime/run/result_listener.hpp"
#include "runtime/run/run_hooks.hpp"
#include "runtime/sources/frame_source.hpp"

namespace saccade::runtime {

class Serving final : private FrameEvents {
 public:
  // `clock` and `queue` must outlive this. With `announce_drops` every drop is posted to the queue.
  Serving(const FrameDesk::Setup& setup, bool announce_drops, const Clock& clock, MessageQueue& queue,
          Duration inference_timeout = std::chrono::seconds(2));

  // Calls use(desk, now) under the mutex and returns its result; `use` must neither block nor call back.
  template <class Use>
  auto with_desk(const Use& use) {
    const Lock lock(mutex_);
    return use(desk_, clock_.now());
  }

  // --- main loop
  void start(TimePoint start);
  // Exchanges the task's route under the mutex; returns how long that took.
  Duration swap(const action::Swap& swap, const std::optional<ServingEngine>& engine);
  [[nodiscard]] std::size_t task_count() const;
  void add_task();                                                         // with the next index
  void name_task(TaskIndex task, std::shared_ptr<const ServedTask> name);  // for the frames from now on
  void set_generation(std::uint64_t plan) { generation_.store(plan, std::memory_order_relaxed); }
  void renew_task(TaskIndex task);   // reuses the index for another task; the desk is updated separately
  void free_frames(TaskIndex task);  // releases the memory of frames that are not in use
  // Returns the number under which the task's frames are captured from now on. A capture with an older number
  // has to end: its waiting calls return immediately.
  int open_capture(TaskIndex task);
  void close_capture(TaskIndex task) { (void)open_capture(task); }
  void stop_sources(TimePoint end);  // ticks before `end` are still captured
  // Waits at most `patience` for frames under way and waiting, then drops the rest as `shutdown`.
  void finish_frames(Duration patience);
  void stop_workers();
  void held(int cpu, const CpuHold& hold);  // from outside

  // --- capture threads
  struct Tick {
    TimePoint due{};
    Duration media_time{0};  // since the start of the run
    Duration period{0};
    FrameNumber number = 0;
    Frame* frame = nullptr;  // to be filled
    LatestFrame* latest = nullptr;
  };
  // Allocates all frames of the task, each with a picture of that many bytes, so that none is allocated
  // later. Frames in use keep their memory.
  void prepare_frames(TaskIndex task, std::size_t bytes);
  // Waits for the task's next tick; absent: the capture was closed or the sources are stopped.
  [[nodiscard]] std::optional<Tick> next_tick(TaskIndex task, int capture);
  [[nodiscard]] bool capture_open(TaskIndex task, int capture) const;
  // Waits for `time`; false: ended early, for one of the same reasons.
  [[nodiscard]] bool pause(TaskIndex task, int capture, Duration time);
  // Whether the capture's source delivers, and why not; ignored for a closed capture.
  void set_connected(TaskIndex task, int capture, bool connected, std::string trouble = {});
  void captured(TaskIndex task, const Tick& tick, bool got_frame);
  // The counters of the capture's source, from now on; ignored for a closed capture.
  void count_capture(TaskIndex task, int capture, std::shared_ptr<const CaptureCounters> counters);

  // --- clients
  // A frame that is due now. If accepted, `frame` is swapped with another one's memory and `answer` will be
  // called once; otherwise both stay as they are and `answer` is never called.
  [[nodiscard]] PushVerdict push(TaskNumber task, Frame& frame, AnswerFrame answer);
  [[nodiscard]] LatestFrame* latest(TaskNumber task);  // null: the task no longer exists

  // --- workers
  struct Job {
    Start start;
    ServingEngine engine;  // `engine`: the stage that is to run
    // Part of the frame, which stays in place until the job has finished, even if its worker is abandoned.
    const Picture* picture = nullptr;  // null: the frame is `input`
    std::span<const PixelBox> regions;
    std::span<const float> input;
    bool apart = false;
    std::span<const int> labels;
    const vision::Truths* truths = nullptr;  // null: unknown
    LatestFrame* latest = nullptr;
    LivePrecision* precision = nullptr;
    bool awaited = false;  // a client waits for the answer
    int worker = 0;
    std::shared_ptr<const ServedTask> task = nullptr;  // null: not named
    CaptureTime captured_at = {};
    std::uint64_t generation = 0;      // of the plan
    const PicturePtr* kept = nullptr;  // `picture` for those who keep it; null: likewise
    KeptTensors* crossing = nullptr;   // between the stages of the engine; null: it has none
    double slowdown = 1.0;             // emulated: how many times its own processor time the job is to take
  };
  // Waits for the next frame to run; absent: stop_workers() was called, or the worker was left behind. The
  // first worker of a processor is number 0.
  [[nodiscard]] std::optional<Job> next_job(ProcessorIndex processor, int worker = 0);
  // The inference has returned. False: too late, the worker was left behind, and the job's frame is no longer
  // there; otherwise finished() follows.
  [[nodiscard]] bool returned(ProcessorIndex processor, const Job& job);
  // Waits, after returned() and before finished(), until then: a processor that is emulated to be slower.
  // stop_workers() ends the wait.
  void wait_until(ProcessorIndex processor, TimePoint then);
  // `answer`: the network's answer, for an awaited job.
  void finished(ProcessorIndex processor, const Job& job, FrameTime time, const Status& status,
                FrameLedger::Judged judged, FrameAnswer answer = {});

  // --- inferences that do not return, by the main loop
  struct Hanging {
    ProcessorIndex processor = 0;
    Start start;
    InferenceWatch::Due due = InferenceWatch::Due::nothing;
  };
  [[nodiscard]] std::vector<Hanging> hanging(TimePoint now);
  // An inference that runs on the processor; absent: none.
  [[nodiscard]] std::optional<Start> running(ProcessorIndex processor) const;
  // Abandons the worker that runs this inference: its frame is dropped. `engine` is kept until the inference
  // returns. Returns the number of the processor's next worker; absent: it has returned after all.
  std::optional<int> leave_behind(ProcessorIndex processor, const Start& hanging,
                                  std::shared_ptr<Engine> engine, DropReason reason);
  [[nodiscard]] std::size_t left_behind() const;  // inferences that have not returned
  void out_of_service(ProcessorIndex processor);  // it gets no further worker

  // --- viewers
  [[nodiscard]] LatestFrame::Look look(TaskNumber task);  // empty: the task no longer exists
  [[nodiscard]] std::optional<LatestAnswer> answer(TaskNumber task) const;  // absent: likewise, or none yet

  // --- readers
  struct TaskView {
    TaskFrames frames;
    FrameDesk::TaskView now;
    bool connected = true;  // the source
    std::string trouble;    // why it is not; empty: it is, or the reason is unknown
    std::optional<CaptureFacts> capture;
  };
  struct View {                   // of one instant
    std::vector<TaskView> tasks;  // by index
    std::vector<Duration> busy;   // per processor
    std::vector<double> corrections;
  };
  [[nodiscard]] View view() const;  // a copy of all counters
  // Of the task's latest frames with known truth; not under the mutex. Absent: there are none.
  [[nodiscard]] std::optional<vision::MeanPrecision> live_precision(TaskNumber task) const;
  struct TaskOutline {
    FrameDesk::TaskView now;
    bool connected = true;        // the source
    std::string trouble;          // as in TaskView
    FrameDecoder::Ports outputs;  // of the serving engine; null: none serves
  };
  struct Outline {                   // of one instant, without counters
    std::vector<TaskOutline> tasks;  // the requested ones, in that order
    std::vector<double> corrections;
    std::vector<ProcessorHealth> processors;
  };
  [[nodiscard]] Outline outline(const std::vector<TaskIndex>& tasks) const;
  // Processor time that the readers of each task's cameras have taken, by index; absent: it has had no
  // camera.
  [[nodiscard]] std::vector<std::optional<Duration>> decoding_times() const;
  // Tasks whose source has just been lost; call several times per second.
  [[nodiscard]] std::vector<TaskIndex> lost_sources(TimePoint now);

 private:
  struct Slot {
    Frame frame;
    AnswerFrame answer;  // empty: no client is waiting
    bool used = false;
    StageChain* chain = nullptr;  // that lends `crossing`; null: nothing is lent
    KeptTensors* crossing = nullptr;
  };
  struct TaskState {
    Condition changed;
    std::vector<Slot> slots;
    int capture = 0;  // the number that is open
    LatestFrame latest;
    LivePrecision precision;
    bool connected = true;
    std::string trouble;                   // of the source; empty: none
    std::optional<CaptureFacts> captured;  // by earlier sources of the task; absent: there was no camera
    std::shared_ptr<const CaptureCounters> counters;  // of its source
    FrameDecoder::Ports outputs;                      // of the serving engine
    std::shared_ptr<const ServedTask> name;
  };

  [[nodiscard]] static std::string trouble_of(const TaskState& state, const FrameDesk::TaskView& now);
  [[nodiscard]] static std::optional<CaptureFacts> facts_of(const TaskState& state);

  struct LeftBehind {  // the data used by an abandoned inference
    Frame frame;
    std::shared_ptr<Engine> engine;
  };
  struct Worker {
    explicit Worker(Duration timeout) : watch(timeout) {}
    int number = 0;
    std::optional<Job> job;
    InferenceWatch watch;
    std::map<int, LeftBehind> left_behind;  // by worker
    bool out_of_service = false;
  };

  void post(Event event) override;
  void dropped(const Drop& drop, TimePoint at) override SACCADE_REQUIRES(mutex_);
  void ticks_changed(TaskIndex task) override SACCADE_REQUIRES(mutex_);
  void make_task() SACCADE_REQUIRES(mutex_);
  [[nodiscard]] bool known(TaskNumber task) const SACCADE_REQUIRES(mutex_);
  [[nodiscard]] Slot& slot(TaskIndex task, FrameNumber number) SACCADE_REQUIRES(mutex_);
  [[nodiscard]] FrameNumber take_slot(TaskIndex task) SACCADE_REQUIRES(mutex_);
  static void give_back(Slot& slot);  // what was lent for it
  [[nodiscard]] Job job_of(const Start& start, int worker) SACCADE_REQUIRES(mutex_);
  void wake_all() SACCADE_REQUIRES(mutex_);
  void wake(TaskIndex task) SACCADE_REQUIRES(mutex_);

  const Clock& clock_;
  MessageQueue& queue_;
  const bool announce_drops_;
  const std::size_t slots_per_task_;  // that are allocated beforehand
  const std::size_t most_under_way_;  // further ones
  std::atomic<std::uint64_t> generation_{0};

  mutable Mutex mutex_;
  FrameDesk desk_ SACCADE_GUARDED_BY(mutex_);
  // They stay in place as the deque grows: capture threads wait in them.
  std::deque<TaskState> tasks_ SACCADE_GUARDED_BY(mutex_);
  std::vector<Condition> frames_ready_;                     // per processor
  std::vector<Worker> workers_ SACCADE_GUARDED_BY(mutex_);  // per processor
  Condition idle_;
  FrameNumber sequence_ SACCADE_GUARDED_BY(mutex_) = 0;
  bool sources_stopped_ SACCADE_GUARDED_BY(mutex_) = false;
  bool workers_stopped_ SACCADE_GUARDED_BY(mutex_) = false;
};

}  // namespace saccade::runtime
