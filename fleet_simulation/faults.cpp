#include "fleet_simulation/faults.hpp"

namespace saccade::fleet_simulation {

const std::array<FaultPoint, kFaults>& fault_points() {
  static const std::array<FaultPoint, kFaults> points = {{
      {"box_dies", "a box loses power and boots again later"},
      {"box_hangs", "a box stands still for a while"},
      {"box_cut", "a box and the store do not reach each other"},
      {"box_isolated", "a box reaches neither the store nor the planners"},
      {"box_unreachable", "the planners do not reach a box's API"},
      {"planner_dies", "a planner ends and is started again later"},
      {"planner_cut", "a planner and the store do not reach each other"},
      {"no_majority", "the store is without a majority for up to a minute"},
      {"store_elects", "the store elects a leader"},
      {"lease_revoked", "a lease that is paid is revoked"},
      {"compaction", "the store forgets its history"},
      {"watch_repeats", "a watch delivers changes twice"},
      {"outcome_lost", "a write's outcome is not known, and it is done at once or later"},
      {"line_slow", "messages of one client take up to two seconds"},
      {"engine_fails", "an engine does not load"},
      {"operator_drains", "a box is drained, and active again later"},
      {"camera_changes", "a camera is taken out of the configuration, and in again later"},
      {"lease_changes", "the policy says another length of the boxes' leases for a while"},
      {"write_cut", "a planner is started again, and its writes have room for three boxes at most"},
  }};
  return points;
}

}  // namespace saccade::fleet_simulation
