// An assignment of cameras to boxes as tables for people and as JSON: boxes with the cameras they serve,
// cameras with their box and their plan there, the value against the proven bound, the N-1 verdict. Threads:
// functions without state.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "fleet/failover.hpp"
#include "fleet/plan.hpp"

namespace saccade::app {

struct FleetLoss {  // of one box, simulated on the plan
  std::size_t box = 0;
  fleet::Failover failover;
  fleet::Assignment after;
};

struct FleetReport {
  const fleet::FleetPlan& plan;
  std::vector<std::optional<scheduler::Plan>> boxes;  // their own planners' plans; absent: no camera
  std::vector<FleetLoss> losses;
  double seconds = 0.0;  // processor time that the assignment took
};

[[nodiscard]] nlohmann::ordered_json to_json(const FleetReport& report);
void print_fleet(const FleetReport& report, std::ostream& out);
// Why a camera is on its box, its value on others, and what happens if its box is lost.
void print_camera(const fleet::FleetPlan& plan, std::size_t camera, std::ostream& out);

}  // namespace saccade::app
