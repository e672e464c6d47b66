// The JSON Schemas (draft 07) of the files people write, as built into the program from docs/schema/.
// They are for editors; the readers (config/config.hpp, profiles/profile_io.hpp, config/fleet_file.hpp,
// config/layer_file.hpp) judge, and say more.
#pragma once

#include <string_view>

namespace saccade::config {

[[nodiscard]] std::string_view config_schema();
[[nodiscard]] std::string_view profile_schema();
[[nodiscard]] std::string_view fleet_schema();
[[nodiscard]] std::string_view layers_schema();

}  // namespace saccade::config
