// What a planner shows of its fleet: the documents of the API and the metrics, made of one reading. Threads:
// plain value and function without state.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "base/result.hpp"
#include "fleet_store/planner_link.hpp"
#include "service/api/fleet_model.hpp"
#include "service/fleet/fleet_chronicle.hpp"
#include "service/fleet/planner_metrics.hpp"

namespace saccade::service {

struct PlannerFacts {  // beside what the link knows
  std::string fleet;
  std::string planner;
  bool connected = false;         // the store answered lately
  std::string fault;              // of the store
  Errors complaints;              // documents that could not be read
  double unserved_seconds = 0.0;  // of all cameras, as this planner saw them
  const FleetChronicle* chronicle = nullptr;
  const FleetTimes* times = nullptr;
};

struct FleetPicture {
  std::string status;
  std::string boxes;
  std::string cameras;
  std::string plan;
  std::string moves;
  std::string metrics;
  FleetShown policy;
  std::map<std::string, FleetShown> box;
  std::map<std::string, FleetShown> camera;
  bool connected = false;
  std::size_t unserved = 0;  // cameras that are demanded and not served
  std::string ready_detail;
};

[[nodiscard]] FleetPicture picture_of(const fleet_store::PlannerLink& link, const PlannerFacts& facts);

}  // namespace saccade::service
