// A small deterministic world around the pure cores: one queue of events ordered by (integer
// nanoseconds, sequence number), virtual loads, inferences and solves, and faults on demand. After
// every event the invariants of the runtime are checked from the outside; a broken one is a test
// failure with the time at which it broke.
// Not a simulator of the product: it knows no files, no sources and no summaries.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "ilp/exhaustive_solver.hpp"
#include "runtime/controller.hpp"
#include "runtime/dispatcher.hpp"
#include "runtime/drift_filter.hpp"
#include "runtime/frame_ledger.hpp"
#include "runtime/tick_schedule.hpp"
#include "scheduler/plan.hpp"
#include "scheduler/policy.hpp"
#include "tests/support/scenes.hpp"

namespace saccade::test {

inline TimePoint at_ms(double ms) { return TimePoint(Duration(std::llround(ms * 1e6))); }
inline Duration ms(double value) { return Duration(std::llround(value * 1e6)); }

enum class LoadFate { good, fails, hangs };

// What may go wrong; every hook is asked when the thing happens. Absent = all goes well.
struct Faults {
  std::function<LoadFate(runtime::TaskIndex, std::size_t variant)> load;
  std::function<bool(runtime::TaskIndex, std::size_t variant)> warm_fails;
  std::function<bool(runtime::TaskIndex, std::size_t variant)> inference_fails;
  std::function<double(runtime::TaskIndex)> slowness;  // factor on an inference; 1 = as profiled
  std::function<double()> load_slowness;               // factor on a load
  std::function<bool()> solver_gives_nothing;
  std::function<bool(runtime::TaskIndex)> camera_delivers;  // false: no frame for this tick
};

class SimulatedRun {
 public:
  explicit SimulatedRun(const scheduler::Snapshot& first, runtime::ControllerOptions options = {});

  Faults faults;
  std::vector<int> warm_ups;  // inferences of each, in the order asked for
  Duration solve_time{2'000'000};
  // Default: the product's policy over the exhaustive solver.
  std::function<scheduler::Plan(const scheduler::Snapshot&)> planner;

  void change(TimePoint at, scheduler::Snapshot wanted);
  void at(TimePoint at, std::function<void()> action);
  void tell(const runtime::Event& event) { send(event); }  // from outside, inside an at()
  void with_feedback();  // measured frame times correct the profiles, looked at ten times a second
  void run_until(TimePoint end);
  // Ends the run as the product does: no more ticks, what waits is finished for at most 2 s, the rest
  // is dropped. Loads may be under way.
  void shut_down();

  [[nodiscard]] TimePoint now() const { return now_; }
  [[nodiscard]] const runtime::Controller& controller() const { return controller_; }
  [[nodiscard]] const runtime::FrameLedger& ledger() const { return ledger_; }
  [[nodiscard]] const runtime::TaskFrames& frames(runtime::TaskIndex task) const {
    return ledger_.task(task);
  }
  [[nodiscard]] std::int64_t lost(runtime::TaskIndex task, runtime::LossCause cause) const;
  [[nodiscard]] std::int64_t dropped(runtime::TaskIndex task, runtime::DropReason reason) const;
  [[nodiscard]] std::size_t reports(const std::string& event) const;
  [[nodiscard]] std::size_t reports(const std::string& event, const std::string& part) const;
  [[nodiscard]] std::size_t solves() const { return solves_; }
  [[nodiscard]] std::optional<TimePoint> last_plan() const { return last_plan_; }  // that was adopted
  [[nodiscard]] std::size_t loads() const { return loads_; }
  [[nodiscard]] std::uint64_t hash() const { return hash_; }  // of everything that happened
  void come_back_late(runtime::EngineKey engine);             // a hung load returns after all
  [[nodiscard]] const std::set<runtime::EngineKey>& hung() const { return hung_; }

 private:
  struct Entry {
    TimePoint at{};
    std::uint64_t sequence = 0;
    std::function<void()> action;
    bool operator<(const Entry& other) const {  // the queue gives the largest first
      return at != other.at ? at > other.at : sequence > other.sequence;
    }
  };
  struct EngineInfo {
    runtime::TaskIndex task = 0;
    std::size_t variant = 0;
    int regions = 1;
    profiles::ProfileSetPtr profiles;
    runtime::ProcessorIndex processor = 0;
  };
  struct Running {
    runtime::Start start;
    TimePoint since{};
  };

  void send(const runtime::Event& event);
  void do_action(const runtime::action::Solve& solve);
  void do_action(const runtime::action::Load& load);
  void do_action(const runtime::action::Warm& warm);
  void do_action(const runtime::action::Swap& swap);
  void do_action(const runtime::action::Unload& unload);
  void do_action(const runtime::action::SetRate& rate);
  void do_action(const runtime::action::SetDemand& demand);
  void do_action(const runtime::action::SetSolving& solving);
  void do_action(const runtime::action::Report& report);
  void schedule_tick(runtime::TaskIndex task);
  void tick(runtime::TaskIndex task);
  void start_frames(runtime::ProcessorIndex processor);
  void finish_frame(runtime::ProcessorIndex processor);
  void note_drop(const runtime::Drop& drop);
  void check_drained();
  void schedule_controller();
  void check_invariants();
  void check_start(runtime::ProcessorIndex processor);
  void mix(std::uint64_t value);

  TimePoint now_{};
  std::uint64_t sequence_ = 0;
  std::priority_queue<Entry> queue_;
  std::vector<scheduler::Processor> processors_;
  std::size_t gate_frames_;
  ilp::ExhaustiveSolver solver_;
  std::unique_ptr<scheduler::Policy> policy_;
  runtime::Controller controller_;
  runtime::Dispatcher dispatcher_;
  runtime::FrameLedger ledger_;
  std::optional<runtime::DriftFilter> drift_;
  std::vector<runtime::TickSchedule> ticks_;
  std::vector<std::uint64_t> tick_version_;
  std::vector<std::optional<runtime::EngineKey>> routed_;
  std::vector<std::optional<Running>> running_;                        // per processor
  std::vector<std::deque<std::pair<TimePoint, TimePoint>>> busy_log_;  // per processor, recounted here
  std::map<runtime::EngineKey, EngineInfo> engines_;
  std::set<runtime::EngineKey> draining_;
  std::set<runtime::EngineKey> hung_;
  std::map<runtime::EngineKey, TimePoint> on_a_loader_;  // since when
  Duration load_timeout_;
  std::optional<TimePoint> controller_tick_;
  std::vector<runtime::action::Report> reports_;
  scheduler::Snapshot wanted_;
  scheduler::Snapshot solved_from_;
  bool limited_ = true;
  double reserved_before_ = 0.0;
  runtime::FrameNumber next_frame_ = 0;
  std::size_t solves_ = 0;
  std::optional<TimePoint> last_plan_;
  std::size_t loads_ = 0;
  bool stopped_ = false;
  std::uint64_t hash_ = 14695981039346656037U;
};

}  // namespace saccade::test
