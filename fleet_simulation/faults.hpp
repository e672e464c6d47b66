// What can go wrong in a simulated fleet. A storm draws among the faults that are allowed; each ends before
// the storm does. Threads: plain values.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>

namespace saccade::fleet_simulation {

enum class Fault {
  box_dies,
  box_hangs,
  box_cut,
  box_isolated,
  box_unreachable,
  planner_dies,
  planner_cut,
  no_majority,
  store_elects,
  lease_revoked,
  compaction,
  watch_repeats,
  outcome_lost,
  line_slow,
  engine_fails,
  operator_drains,
  camera_changes,
  lease_changes,
  write_cut,
};
inline constexpr std::size_t kFaults = 19;
using FaultSet = std::bitset<kFaults>;

struct FaultPoint {
  const char* name;
  const char* what;
};
[[nodiscard]] const std::array<FaultPoint, kFaults>& fault_points();

}  // namespace saccade::fleet_simulation
