// Reads the device of a profile set. Threads: functions without state. Errors: into the report.
#pragma once

#include "profiles/profile_set.hpp"
#include "text/strict_json.hpp"

namespace saccade::profiles {

[[nodiscard]] Device read_device(const text::JsonAt& at, text::JsonReport& report);

}  // namespace saccade::profiles
