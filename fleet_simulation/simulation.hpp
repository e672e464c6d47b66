// A whole fleet in virtual time: planners and boxes with the code that decides in the real ones
// (fleet_store/planner_link.hpp, box_link.hpp) on a simulated store, with faults. Cameras and engines are
// coarse: a camera that is started is served after a while, or fails; there are no frames. Storms of faults
// and calms take turns. A seed gives the same story in every build; the hash covers every start, stop and
// fault. What must hold, always:
//   exclusive    no exclusive camera is open on two boxes that run
//   autonomy     a box that does not reach the store stops nothing but exclusive cameras
//   epoch        an epoch of a camera is on one box only
//   no restart   a camera that stays assigned is not started again
//   standby      no box stands by for a camera that is exclusive, or does not ask for it
//   budget       no more cameras move for improvement than the policy's moves_per_hour, whoever leads
//   memory       what a box has saved can be read after a reboot
//   moved        a box that is said to have a camera since was given it
// and once a storm has been over for kCalmBound:
//   served       every camera that the fleet has room for is served; no gap is longer than kGapBound
//   once         by one box; two for no longer than kTwiceBound
// Threads: one; nothing is shared.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "fleet/control/planner.hpp"
#include "fleet/problem.hpp"
#include "fleet_simulation/faults.hpp"

namespace saccade::fleet_simulation {

inline constexpr Duration kCalmBound = std::chrono::seconds(120);
inline constexpr Duration kGapBound = std::chrono::seconds(30);
inline constexpr Duration kTwiceBound = std::chrono::seconds(20);

struct SimulationSettings {
  Duration duration = std::chrono::minutes(30);
  std::uint64_t seed = 1;
  FaultSet faults;
  bool draw = true;  // each seed draws half of these
  Duration storm = std::chrono::minutes(5);
  Duration calm = std::chrono::minutes(4);
  std::size_t planners = 2;
  fleet::PlannerSettings decide;
};
// Limits for a planner that is simulated often.
[[nodiscard]] fleet::PlannerSettings quick_planner();

struct Breach {
  TimePoint at{};
  std::string invariant;
  std::string found;
};

struct SimulationResult {
  std::uint64_t hash = 0;
  std::int64_t events = 0;
  std::optional<Breach> breach;  // the first; the simulation ends with it
  std::array<std::int64_t, kFaults> faults{};
  std::int64_t starts = 0;
  std::int64_t standby_starts = 0;  // of cameras with `standby`, because their box was lost
  std::int64_t standby_ready = 0;   // of those, on a box that had an engine ready: without a load
  std::int64_t leaders = 0;         // elected
  std::int64_t improvements = 0;    // cameras that moved for improvement
  std::int64_t unserved = 0;        // starts of cameras that moved so that more is served
  std::int64_t failovers = 0;
  std::int64_t moves = 0;
  std::int64_t withdrawn = 0;
  std::int64_t rounds = 0;
  std::int64_t gaps = 0;  // of service, of cameras that were served before and after
  Duration median_gap{};
  Duration worst_gap{};         // also of several faults at once
  double unserved_share = 0.0;  // of camera-seconds, of cameras that the fleet has room for
};

// The problem is sorted and valid.
[[nodiscard]] SimulationResult simulate(const fleet::Problem& problem, const SimulationSettings& settings);

}  // namespace saccade::fleet_simulation
