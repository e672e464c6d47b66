// What a box says of itself in the store: what its processors and limits leave for the fleet beside the tasks
// of its own configuration, its labels and networks, and the addresses at which planners ask whether it lives
// and clients reach it. Its own tasks get what the plan gives them that they would have alone. A processor
// whose frames take longer than profiled (its correction) offers so much less, in profiled time. Profile sets
// lie beside it under a digest of their text, without the names of model files: boxes that are equal share
// them. Threads: functions without state. Errors: as Result.
#pragma once

#include <map>
#include <string>

#include "base/result.hpp"
#include "config/fleet_part.hpp"
#include "runtime/run/run_config.hpp"

namespace saccade::service {

struct BoxReport {
  std::string text;
  std::map<std::string, std::string> profiles;  // text by digest
};

// `run`: with the tasks of the box's own configuration alone. `version`: of this program. `livez`: an address
// that planners can reach; empty: there is none. `api`: where clients reach the box, likewise.
[[nodiscard]] Result<BoxReport> box_report(const config::FleetSettings& fleet, const runtime::RunConfig& run,
                                           const std::string& version, const std::string& livez,
                                           const std::string& api = {});

[[nodiscard]] std::string digest_of(const std::string& text);

}  // namespace saccade::service
