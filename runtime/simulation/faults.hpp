// The faults of a simulation: a table of fault points, and the driver that makes them happen. Each seed
// enables a random half of the requested points. Storms, during which faults strike, alternate with
// calms, during which none is in effect; a run ends in a calm.
//
// The driver decides when a fault strikes, what it hits and for how long; the shell asks whenever
// something happens that a fault could affect (fault_source.hpp). A fault is counted when it takes
// effect. Stepping the wall clock is no fault point: no code that decides anything reads it, which
// tests/project/architecture_test.cpp enforces.
// Randomness: a generator of its own, so that faults do not shift the latencies that are drawn.
// Threads: plain value.
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
#include "runtime/simulation/dice.hpp"
#include "runtime/simulation/fault_source.hpp"

namespace saccade::runtime {

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

class FaultDriver : public FaultSource {
 public:
  static constexpr Duration kCalm{20'000'000'000};  // length of a calm

  struct Setup {
    FaultSet points;
    std::uint64_t seed = 1;
    Duration duration{0};         // of the run
    Duration load_timeout{0};     // a load that hangs may last longer than this
    Duration solver_deadline{0};  // a solve that times out returns then
    std::size_t tasks = 0;
    std::size_t processors = 0;
  };
  explicit FaultDriver(const Setup& setup);

  [[nodiscard]] std::optional<Duration> next() const override;
  [[nodiscard]] Turn turn(Duration now, const MemoryAmounts& reserved) override;
  [[nodiscard]] Wish wanted(const scheduler::Snapshot& state, Duration now) override;
  [[nodiscard]] Fate load(TaskIndex task, std::size_t variant, Duration now) override;
  [[nodiscard]] Fate warm_up(TaskIndex task, std::size_t variant, int inferences, Duration now) override;
  [[nodiscard]] Fate unload(Duration now) override;
  [[nodiscard]] Fate solve() override;
  [[nodiscard]] Camera camera(TaskIndex task, Duration now) override;
  [[nodiscard]] std::int64_t inference_percent(TaskIndex task, ProcessorIndex processor,
                                               Duration now) override;
  [[nodiscard]] bool inference_fails(TaskIndex task, std::size_t variant, Duration now) override;

  void hit(Fault fault) { ++counts_[index(fault)]; }
  [[nodiscard]] const FaultCounts& counts() const { return counts_; }
  [[nodiscard]] bool enabled(Fault fault) const { return enabled_[index(fault)]; }

 private:
  struct Spell {  // a fault that lasts
    Duration until{0};
    bool counted = false;
    Fault fault = Fault::camera_stalls;
  };
  struct Change {                // of the wanted state, for a while
    std::optional<Fault> fault;  // absent: its only purpose is to cause loads
    Fault kind = Fault::demand_jumps;
    std::size_t task = 0;
    double value = 0.0;
    std::size_t memory = 0;  // 0: the host's, m + 1: of a device
    Duration from{0};
    Duration until{0};
    Duration flap{0};  // half a period; 0 = steady
    Duration next{0};  // when it begins, flaps or ends next
    bool counted = false;
  };
  static std::size_t index(Fault fault) { return static_cast<std::size_t>(fault); }
  bool in(Spell& spell, Duration now);
  std::int64_t loader_factor(Duration now);
  void strike(Duration now, const MemoryAmounts& reserved, Turn& turn);
  void strike_state(Fault fault, std::size_t task, Duration now,
                    const MemoryAmounts& reserved);  // demand, limits, tasks, objective
  static void lower(const Change& change, scheduler::Snapshot& wanted);
  void change(Change change);
  void make_loads_happen(Duration now);
  void calm_down();
  Duration for_about(double low, double high);  // seconds

  Dice dice_;
  FaultSet enabled_;
  std::vector<Fault> points_;  // enabled, in order
  Duration mean_gap_{0};
  Duration load_timeout_{0};
  Duration solver_deadline_{0};
  std::vector<std::pair<Duration, Duration>> storms_;  // from, to
  std::size_t spell_ = 0;
  bool stormy_ = false;
  Duration next_strike_{0};

  std::array<int, kFaultPoints> armed_{};  // how many of the next occasions it hits
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
