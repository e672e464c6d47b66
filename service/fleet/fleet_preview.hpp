// What the API says of a change of the whole configuration, done or tried out: JSON text. Threads: functions
// without state.
#pragma once

#include <cstdint>
#include <string>

#include "fleet/preview.hpp"
#include "service/fleet/fleet_application.hpp"

namespace saccade::service {

// `revision`: of the configuration, after it; of one that is tried out: as it is.
[[nodiscard]] std::string application_text(const FleetApplication& application, std::int64_t revision);
[[nodiscard]] std::string preview_text(const FleetApplication& application, std::int64_t revision,
                                       const fleet::Preview& preview);

}  // namespace saccade::service
