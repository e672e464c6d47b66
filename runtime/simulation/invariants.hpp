// What must hold in every run, checked from the outside: a second, simpler account of frames, engines,
// memory and rates is kept beside the product's, from what passes between the controller, the shell and
// the frame desk, and compared with it. The first thing that does not hold is kept; the run ends there.
//
// When what is checked:
//   every event        each frame ends once and is counted, no gate is too full, no processor idles
//                      while a frame waits for it, the queue is short, time goes on
//   a frame is pushed  it is rejected exactly where the gate is full, and none that waits has to go for it;
//                      what is rejected is not received
//   a frame starts     the earliest deadline first, in an engine that is warm, not on a spent budget;
//                      its task did not get more frames than its rate and a bucket of two allow
//   an action          loads, warm-ups, swaps and unloads come in the order of an engine's life; no
//                      engine is destroyed that serves or has a frame in it; a rate is not above what the
//                      plan grants; loads and solves are not asked for without end
//   controller event   every engine that exists is reserved, nothing is reserved above the limit, what is
//                      above a lowered limit only falls; a plan that is adopted obeys the snapshot it was
//                      made from and names accuracy floors that it breaks; a plan of an older generation
//                      is on its way to be replaced; without a transition the plan is what runs
//   ten times a second memory is below a lowered limit after 2 s, or that was reported; a load that hangs
//                      is given up; a source that is silent is lost, one that delivers is not, and the one
//                      that is lost is granted nothing; a removed task keeps no engine
//   end of a calm      ten seconds after the last fault all is settled, no engine is left over, and at
//                      least 99 % of the granted frames are processed
// Threads: plain value.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/controller.hpp"
#include "runtime/frame_desk.hpp"
#include "runtime/run_config.hpp"

namespace saccade::runtime {

struct Breach {
  Duration at{0};         // since the start of the run
  std::string invariant;  // what must hold
  std::string found;
};

class Invariants {
 public:
  // All outlive this.
  // `limited`: the policy obeys the limits that tasks share.
  Invariants(const RunConfig& config, bool limited, const Controller& controller, const FrameDesk& desk);

  [[nodiscard]] const std::optional<Breach>& breach() const { return breach_; }
  void start(TimePoint now) { start_ = now; }

  // --- tasks come and go
  void task_added(TaskIndex task, bool pushed);
  void task_removed(TaskIndex task, TimePoint now);
  void reconfigured(bool taken);  // to a configuration that is valid

  // --- frames
  void received(TaskIndex task, FrameNumber frame, TimePoint due, Duration period, TimePoint now);
  // A client sends a frame. Whether it is to be taken: less than a gate's worth of frames wait.
  [[nodiscard]] bool pushed(TaskIndex task, FrameNumber frame, Duration period, TimePoint now);
  void push_answered(TaskIndex task, bool as_expected);
  void dropped(const Drop& drop);
  void started(ProcessorIndex processor, const Start& start, TimePoint now);
  void ended(ProcessorIndex processor, TimePoint now);

  // --- what the controller hears and asks for
  void wants(const scheduler::Snapshot& wanted, TimePoint now);
  void hears(const Event& event, TimePoint now);
  void solve(const scheduler::Snapshot& snapshot, TimePoint now);
  void load(const action::Load& load, TimePoint now);
  void warm(EngineKey engine);
  void unload(EngineKey engine);
  void swap(const action::Swap& swap);
  void rate(const action::SetRate& rate);
  void demand(TaskIndex task, Fps demand);
  void granted(TaskIndex task, Fps granted);
  void solving(bool pending) { solving_ = pending; }
  void report(const action::Report& report, TimePoint now);

  // --- when it is looked at
  void after_event(TimePoint now, std::size_t queued);
  void after_controller(TimePoint now);
  void now_and_then(TimePoint now);
  void reloaded(bool refused);    // a state that is not valid
  void calm_begins();             // ten seconds after the last fault
  void calm_ends(TimePoint now);  // ten more
  void run_ends(TimePoint now);

 private:
  static constexpr std::int64_t kFrame = 1'000'000;    // in micro-frames
  static constexpr std::int64_t kBucket = 3 * kFrame;  // two, and one for where the window begins
  struct Waiting {
    FrameNumber frame = 0;
    TimePoint deadline{};
  };
  struct TaskBook {
    std::vector<Waiting> gate;  // a handful
    bool pushed = false;        // its frames are
    std::int64_t received = 0;
    std::int64_t rejected = 0;
    std::int64_t ended = 0;
    std::int64_t lost_to_switch = 0;
    std::int64_t lost_told = 0;
    std::optional<EngineKey> engine;  // routed
    ProcessorIndex processor = 0;
    Fps demand{0.0};
    Fps granted{0.0};
    std::int64_t rate = 0;    // in micro-frames per second
    std::int64_t bucket = 0;  // in micro-frames
    TimePoint filled{};
    bool removed = false;
    TimePoint removed_at{};
    TimePoint heard{};                // the last frame came, or frames began to be due
    std::optional<TimePoint> lost;    // the source, as the controller heard
    std::optional<TimePoint> back;    // it is lost, and the first frame came
    std::int64_t granted_before = 0;  // at the beginning of the calm
    std::int64_t rejected_before = 0;
    std::int64_t processed_before = 0;
  };
  struct ProcessorBook {
    std::optional<Start> running;
    TimePoint since{};
    std::deque<std::pair<TimePoint, TimePoint>> log;  // the last second; only where capacity < 1
    double capacity = 1.0;
  };
  enum class Life { loading, loaded, warming, warm, serving, out, going };
  struct EngineBook {
    Life life = Life::loading;
    TaskIndex task = 0;
    std::size_t variant = 0;
    double loading = 0.0;  // bytes
    double serving = 0.0;
    TimePoint since{};  // the load was asked for
    bool given_up = false;
  };

  // Words are made only when it does not hold: this is asked several times per event.
  void require(bool holds, const char* invariant) {
    if (!holds) broken(invariant, "");
  }
  template <class Number>
  void require(bool holds, const char* invariant, const char* what, Number number) {
    if (!holds) broken(invariant, std::string(what) + " " + std::to_string(number));
  }
  void broken(const char* invariant, std::string found);
  static void refill(TaskBook& book, TimePoint until);
  [[nodiscard]] bool spent(ProcessorBook& book, TimePoint now);
  [[nodiscard]] const Waiting* first_waiting(ProcessorIndex processor, TaskIndex* task) const;
  void check_task(TaskIndex task);
  void check_source(TaskIndex task);
  void check_removed(TaskIndex task);
  void check_memory();
  void check_plan();
  [[nodiscard]] double in_use() const;
  [[nodiscard]] bool above_limit() const;

  const RunConfig& config_;
  const bool limited_;
  const Controller& controller_;
  const FrameDesk& desk_;
  std::optional<Breach> breach_;
  TimePoint start_{};
  TimePoint now_{};
  TimePoint last_event_{};
  int at_once_ = 0;  // events at that instant

  std::vector<TaskBook> tasks_;
  std::vector<ProcessorBook> processors_;
  std::map<EngineKey, EngineBook> engines_;
  std::optional<TaskIndex> touched_;

  scheduler::Snapshot wanted_;
  std::map<std::uint64_t, scheduler::Snapshot> solved_;  // by generation, since the running plan's
  std::shared_ptr<const scheduler::Plan> plan_;
  bool solving_ = false;
  bool settled_in_calm_ = false;
  bool stays_ = false;  // the newest plan was infeasible without a fallback: what runs stays
  double reserved_before_ = 0.0;
  std::optional<TimePoint> above_since_;
  std::optional<TimePoint> excess_reported_;
  std::deque<TimePoint> loads_;                                                  // of the last second
  std::deque<TimePoint> solves_;                                                 // of the last second
  std::map<std::pair<TaskIndex, std::size_t>, std::deque<TimePoint>> failures_;  // of the last ten
};

}  // namespace saccade::runtime
