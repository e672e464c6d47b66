// The invariants of every run, checked from the outside: a second, simpler accounting of frames, engines,
// memory and rates is kept in parallel to the product's, from the calls between controller, shell and frame
// desk, and the two are compared. The first violation is kept; the run ends there.
//
// Checked at
//   every event        each frame ends once and is counted; no gate exceeds its bound; no processor idles
//                      while a frame waits for it; the event queue is bounded; time advances
//   a pushed frame     it is rejected exactly when the gate is full and displaces no waiting frame; a
//                      rejected frame does not count as received
//   a stage            frames pass the stages of their engine one after the other, no more of them at a time
//                      than its variant allows; a task's frames end in their order, whatever the switches
//   a frame's start    earliest deadline first, or highest class first where the processor is behind; in a
//                      warm engine, within the processor's capacity; the task's frames do not exceed its rate
//                      and a bucket of two
//   an action          loads, warm-ups, swaps and unloads follow the order of an engine's life; loads on
//                      a device keep its pause while something serves there; no engine
//                      is destroyed while it serves or runs a frame; no rate exceeds the plan's grant; the
//                      number of loads and solves is bounded; no engine goes before its successor is there
//                      unless, in no order of the loads, all engines fit that way
//   controller event   of every memory, every existing engine is reserved, with what its own variant
//                      takes of it; nothing is reserved above the limit, and an
//                      excess over a lowered limit only shrinks; an adopted plan satisfies its snapshot
//                      and names the accuracy floors that it violates; a plan of an older generation is
//                      about to be replaced; outside a transition the plan is what runs; in one, old engines
//                      get what the others leave of the corrected processor, and all they need where it fits;
//                      plans know corrections and guards, and what decoding leaves of a processor
//   ten times a second memory is below a lowered limit within 2 s, or the excess was reported; a hanging
//                      load is abandoned; a silent source is lost and a delivering one is not; a lost one
//                      is granted nothing; a removed task keeps no engine
//   the end of a calm  ten seconds after the last fault everything is settled, no engine is left over, and
//                      at least 99 % of the granted frames are processed. What a fault leaves behind (a guard
//                      that has grown, a variant that is excluded for up to ten minutes) may still be put
//                      right then, by a new plan. Its transition may hold frames back: of a task that was
//                      off, until its engine is loaded; where old and new engine do not fit into memory
//                      together; and where a rate is lowered for it. These frames, and no others, are left
//                      out: that no engine and no rate goes without need is checked at every action, and how
//                      long a task waits for its engine, ten times a second.
// Threads: plain value.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/control/controller.hpp"
#include "runtime/frames/frame_desk.hpp"
#include "runtime/run/run_config.hpp"

namespace saccade::runtime {

struct Breach {
  Duration at{0};         // since the start of the run
  std::string invariant;  // what must hold
  std::string found;
};

class Invariants {
 public:
  // All references must outlive this.
  Invariants(const RunConfig& config, const Controller& controller, const FrameDesk& desk);

  [[nodiscard]] const std::optional<Breach>& breach() const { return breach_; }
  void start(TimePoint now) { start_ = now; }

  // --- tasks come and go
  void task_added(TaskIndex task, bool pushed);
  void task_removed(TaskIndex task, TimePoint now);
  void task_renewed(TaskIndex task);  // the index goes to another task
  void reconfigured(bool taken);      // to a configuration that is valid

  // --- frames
  void received(TaskIndex task, FrameNumber frame, TimePoint due, Duration period, TimePoint now);
  // A client sends a frame. True: it must be accepted, since the gate is not full.
  [[nodiscard]] bool pushed(TaskIndex task, FrameNumber frame, Duration period, TimePoint now);
  void push_answered(TaskIndex task, bool as_expected);
  void dropped(const Drop& drop);
  void started(ProcessorIndex processor, const Start& start, TimePoint now);
  void ended(ProcessorIndex processor, TimePoint now);

  // --- events and actions of the controller
  void wants(const scheduler::Snapshot& wanted, TimePoint now);
  void hears(const Event& event, TimePoint now);
  void solve(const scheduler::Snapshot& snapshot, TimePoint now);
  void load(const action::Load& load, TimePoint now);
  void warm(EngineKey engine);
  void unload(EngineKey engine);
  void swap(const action::Swap& swap, TimePoint now);
  void rate(const action::SetRate& rate);
  void demand(TaskIndex task, Fps demand);
  void granted(TaskIndex task, Fps granted);
  void priority(TaskIndex task, int priority) { tasks_.at(task).priority = priority; }
  void solving(bool pending) { solving_ = pending; }
  void urgency(bool urgent) { urgent_ = urgent; }
  void report(const action::Report& report, TimePoint now);

  // --- checks
  void after_event(TimePoint now, std::size_t queued);
  void after_controller(TimePoint now);
  void now_and_then(TimePoint now);
  void reloaded(bool refused);    // an invalid configuration
  void calm_begins();             // ten seconds after the last fault
  void calm_ends(TimePoint now);  // ten seconds later
  void run_ends(TimePoint now);

 private:
  static constexpr double kTolerance = 1e-9;           // relative, for sums of doubles
  static constexpr std::int64_t kFrame = 1'000'000;    // in micro-frames
  static constexpr std::int64_t kBucket = 3 * kFrame;  // two, and one for the start of the window
  struct Waiting {
    FrameNumber frame = 0;
    TimePoint deadline{};
  };
  struct UnderWay {  // in an engine of several stages
    FrameNumber frame = 0;
    TimePoint deadline{};
    EngineKey engine = 0;
    std::size_t turn = 0;
    std::size_t stage = 0;
    bool runs = true;
  };
  struct TaskBook {
    std::vector<Waiting> gate;        // a handful
    std::vector<UnderWay> under_way;  // likewise, as they began
    std::size_t most = 0;             // of them, in the engine that is routed; 0: the network is whole
    bool pushed = false;              // its frames are
    std::int64_t received = 0;
    std::int64_t rejected = 0;
    std::int64_t ended = 0;
    std::int64_t lost_to_switch = 0;
    std::int64_t lost_told = 0;
    std::optional<EngineKey> engine;  // routed
    std::optional<TimePoint> awaits;  // since when: none is, though the plan grants frames
    ProcessorIndex processor = 0;
    Fps demand{0.0};
    Fps granted{0.0};
    int priority = 0;
    std::map<std::size_t, Duration> last;  // by stage: time of its last frame
    Fps told{0.0};                         // the rate in force
    std::int64_t rate = 0;                 // the same in micro-frames per second, rounded up
    std::int64_t bucket = 0;               // in micro-frames
    TimePoint filled{};
    bool removed = false;
    TimePoint removed_at{};
    TimePoint heard{};                // the last frame came, or frames began to be due
    std::optional<TimePoint> lost;    // when the controller was notified that the source is lost
    std::optional<TimePoint> back;    // when the first frame came after that
    std::int64_t granted_before = 0;  // at the beginning of the calm
    std::int64_t rejected_before = 0;
    std::int64_t processed_before = 0;
    std::int64_t held_back = 0;  // frames that a transition may cost, as said above
    std::int64_t held_back_before = 0;
    std::pair<std::uint64_t, TimePoint> excluded;  // of which plan the variant is, and until when
  };
  struct ProcessorBook {
    std::optional<Start> running;
    TimePoint since{};
    std::deque<std::pair<TimePoint, TimePoint>> log;  // the last second; only where capacity < 1
    double capacity = 1.0;
    double guard = 0.0;
    double decoding = 0.0;  // of its CPUs
    [[nodiscard]] double budget(double correction) const;
  };
  // Bytes per name of a memory; the host's is "".
  using MemoryBook = std::map<std::string, double>;
  enum class Life { loading, loaded, warming, warm, serving, out, going };
  struct EngineBook {
    Life life = Life::loading;
    TaskIndex task = 0;
    std::size_t variant = 0;
    MemoryBook loading{};  // bytes
    MemoryBook serving{};
    profiles::ProfileSetPtr profiles;
    int batch = 1;
    // Of each stage those that take its frames in turn; one stage, if the network is whole.
    std::vector<std::vector<ProcessorIndex>> stages{};
    std::size_t began = 0;        // frames, since it was swapped in
    std::vector<double> frame{};  // per processor: seconds by the profile
    [[nodiscard]] ProcessorIndex place(std::size_t stage, std::size_t turn) const {
      return stages.at(stage)[turn % stages[stage].size()];
    }
    int errors = 0;  // in a row
    bool broken = false;
    TimePoint since{};  // when its load was requested
    bool given_up = false;
  };

  // The text is built only on a violation: this is called several times per event.
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
  [[nodiscard]] Duration used(ProcessorBook& book, TimePoint now);
  struct Urgent {  // a frame that may run next on a processor
    TaskIndex task = 0;
    FrameNumber frame = 0;
    TimePoint deadline{};
    Duration expected{0};
  };
  template <class Use>
  void each_waiting(ProcessorIndex processor, const Use& use) const;
  [[nodiscard]] std::optional<Urgent> first_waiting(ProcessorIndex processor) const;
  [[nodiscard]] bool behind(ProcessorIndex processor, const Urgent& earliest, TimePoint now);
  [[nodiscard]] std::optional<Urgent> due_to_run(ProcessorIndex processor, TimePoint now);
  [[nodiscard]] bool may_go_on(TaskIndex task, const UnderWay& frame) const;
  void begin_stage(const Start& start);
  void begin_frame(const Start& start);
  [[nodiscard]] ProcessorIndex gate_processor(const TaskBook& book) const;  // of its next frame
  void end_stage(const Start& start);
  void check_order(const Start& ended);
  [[nodiscard]] ProcessorIndex processor_of(const ProcessorId& id) const;
  [[nodiscard]] std::size_t most_of(const EngineBook& engine) const;
  void check_measured(const MeasuredProcessor& measured);
  void check_task(TaskIndex task);
  void check_source(TaskIndex task);
  void check_removed(TaskIndex task);
  void check_memory();
  void check_plan();
  void check_urgency();
  void check_transition(const scheduler::Plan& plan);
  struct Exchange {  // of a task's engine for the one that the plan wants
    MemoryBook loading;
    MemoryBook serving;
    MemoryBook old;
  };
  [[nodiscard]] bool some_order_fits(const std::vector<Exchange>& exchanges) const;
  void check_let_go(TaskIndex task);
  // Loads on a device (invariants_memory.cpp)
  void load_ended(const EngineBook& engine, TimePoint now);
  void check_pause(const std::set<std::string>& memories, TimePoint now);
  [[nodiscard]] Duration pause_on(const std::set<std::string>& memories) const;
  void note_excluded(const action::Report& report, TimePoint now);
  [[nodiscard]] bool is_excluded(TaskIndex task) const;  // what the plan wants for it
  void check_wait(TaskIndex task);
  [[nodiscard]] Duration longest_wait() const;
  [[nodiscard]] bool holds_back(const Drop& drop) const;
  [[nodiscard]] MemoryBook in_use() const;
  [[nodiscard]] MemoryBook reserved() const;
  // Of a memory; absent: it has no limit, or the plan was made without.
  [[nodiscard]] std::optional<double> limit_of(const std::string& memory) const;
  static MemoryBook needs(const profiles::Variant& variant, const std::set<std::string>& memories,
                          bool loading);
  [[nodiscard]] bool exceeds_limit(MemoryBook sum) const;  // of engines; contexts are added to it
  [[nodiscard]] std::set<std::string> memories_of(const profiles::Variant& variant, int regions) const;

  const RunConfig& config_;
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
  TimePoint planned_{};  // since when it runs
  bool limited_ = true;  // the last plan was made within the limits that tasks share
  bool solving_ = false;
  bool urgent_ = true;
  bool in_calm_ = false;  // in its second half
  bool settled_in_calm_ = false;
  bool stays_ = false;  // the newest plan was infeasible without a fallback: the old one goes on
  MemoryBook reserved_before_;
  std::optional<TimePoint> above_since_;
  std::optional<TimePoint> excess_reported_;
  std::deque<TimePoint> loads_;                                                  // of the last second
  std::map<std::string, TimePoint> load_ended_;                                  // by device memory
  std::deque<TimePoint> solves_;                                                 // of the last second
  std::map<std::pair<TaskIndex, std::size_t>, std::deque<TimePoint>> failures_;  // of the last ten
};

}  // namespace saccade::runtime
