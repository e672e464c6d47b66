// What may go wrong in a simulation, as one table of fault points, and the driver that makes it go
// wrong: each seed enables a random half of the points that are asked for. Storms, in which faults
// strike, and calm spells, in which none is left, take turns; a run ends calm.
//
// The driver decides when a fault strikes, on what and for how long; the shell asks it whenever
// something happens that a fault could spoil. A fault is counted when it takes effect.
// Nothing that decides reads the wall clock (tests/project/architecture_test.cpp), so its steps are no
// fault point.
// All times are since the start of the run. Threads: plain value. Randomness: its own dice, so that
// faults do not move latencies.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "runtime/frame.hpp"
#include "runtime/simulation/dice.hpp"
#include "scheduler/snapshot.hpp"

namespace saccade::runtime {

// A step of the wall clock is none of them: nothing that decides can read it (architecture_test.cpp).
enum class Fault : std::size_t {
  load_fails,
  load_hangs,
  load_slow,
  corrupt_model,
  wrong_hash,
  warm_up_fails,
  inference_throws,
  inference_slow,
  processor_slow,
  loader_starved,
  memory_lowered,
  limits_infeasible,
  camera_stalls,
  camera_disconnects,
  camera_bursts,
  wrong_frame_size,
  solver_times_out,
  solver_returns_nothing,
  demand_flaps,
  demand_jumps,
  task_removed,
  objective_changes,
  invalid_reload,
  shutdown_in_load,
};
inline constexpr std::size_t kFaultPoints = 24;

struct FaultPoint {
  const char* name;
  const char* what;
};
[[nodiscard]] const std::array<FaultPoint, kFaultPoints>& fault_points();  // in the order of Fault

using FaultSet = std::bitset<kFaultPoints>;
using FaultCounts = std::array<std::int64_t, kFaultPoints>;

class FaultDriver {
 public:
  static constexpr Duration kCalm{20'000'000'000};  // how long a calm spell lasts

  struct Setup {
    FaultSet points;
    std::uint64_t seed = 1;
    Duration duration{0};      // of the run
    Duration load_timeout{0};  // a hanging load may outlast it
    std::size_t tasks = 0;
    std::size_t processors = 0;
  };
  explicit FaultDriver(const Setup& setup);

  // --- the weather
  // When something happens next: a strike, a change that begins or ends, a calm.
  [[nodiscard]] std::optional<Duration> next() const;
  struct Turn {
    bool reshape = false;  // what is wanted changed: ask for wanted()
    bool reload = false;   // try a state that is not valid
    bool calm = false;     // a calm spell begins: hanging loads come back
    bool storm = false;    // and is over: a storm begins
  };
  [[nodiscard]] Turn turn(Duration now, Bytes reserved);
  struct Wish {
    scheduler::Snapshot snapshot;      // with all tasks
    std::vector<std::size_t> removed;  // those that are taken away; never all
  };
  // The timeline's state with what the faults make of it.
  [[nodiscard]] Wish wanted(const scheduler::Snapshot& state, Duration now);

  // --- asked when it happens
  struct Fate {
    Errors errors;
    std::int64_t factor = 1;        // times as long
    std::optional<Duration> hangs;  // comes back after this
  };
  [[nodiscard]] Fate load(TaskIndex task, std::size_t variant, Duration now);
  [[nodiscard]] Fate warm_up(Duration now);
  [[nodiscard]] std::int64_t loader_factor(Duration now);
  [[nodiscard]] bool inference_throws(TaskIndex task, Duration now);
  [[nodiscard]] std::int64_t inference_percent(TaskIndex task, ProcessorIndex processor, Duration now);
  struct Camera {
    bool delivers = true;
    std::optional<Duration> late_until;  // the capture is held up until then
    const char* fault = nullptr;         // what the source says of itself; null = well
  };
  [[nodiscard]] Camera camera(TaskIndex task, Duration now);
  [[nodiscard]] std::optional<Fault> solver();  // it comes back with nothing, for this reason

  void hit(Fault fault) { ++counts_[index(fault)]; }
  [[nodiscard]] const FaultCounts& counts() const { return counts_; }
  [[nodiscard]] bool enabled(Fault fault) const { return enabled_[index(fault)]; }
  [[nodiscard]] bool stormy() const { return stormy_; }

 private:
  struct Spell {  // something that is wrong for a while
    Duration until{0};
    bool counted = false;
    Fault fault = Fault::camera_stalls;
  };
  struct Change {                // of what is wanted, for a while
    std::optional<Fault> fault;  // absent: it only makes loads happen
    Fault kind = Fault::demand_jumps;
    std::size_t task = 0;
    double value = 0.0;
    Duration from{0};
    Duration until{0};
    Duration flap{0};  // half a period; 0 = steady
    Duration next{0};  // when it is to be looked at again
    bool counted = false;
  };
  static std::size_t index(Fault fault) { return static_cast<std::size_t>(fault); }
  bool in(Spell& spell, Duration now);
  void strike(Duration now, Bytes reserved, Turn& turn);
  void change(Change change, Duration now);
  void make_loads_happen(Duration now);
  void calm_down();
  Duration for_about(double low, double high);  // seconds

  Dice dice_;
  FaultSet enabled_;
  std::vector<Fault> points_;  // enabled, in order
  Duration mean_gap_{0};
  Duration load_timeout_{0};
  std::vector<std::pair<Duration, Duration>> storms_;  // from, to
  std::size_t spell_ = 0;
  bool stormy_ = false;
  Duration next_strike_{0};

  std::array<int, kFaultPoints> armed_{};  // how many of the next occasions are spoilt
  std::map<std::pair<TaskIndex, std::size_t>, Spell> models_;
  std::vector<Spell> throws_;
  std::vector<Spell> slow_;
  std::vector<Spell> cameras_;
  std::vector<Spell> late_;
  std::vector<Spell> processors_;
  std::vector<std::int64_t> percents_;  // of the processors, while slow
  Spell starved_;
  std::vector<Change> changes_;
  FaultCounts counts_{};
};

}  // namespace saccade::runtime
