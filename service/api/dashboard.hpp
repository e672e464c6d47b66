// The files of the dashboard, which are part of the program: one page, its style and its
// scripts.
// Threads: constants.
#pragma once

#include <string_view>

namespace saccade::service {

[[nodiscard]] std::string_view dashboard_page();
[[nodiscard]] std::string_view dashboard_style();
[[nodiscard]] std::string_view dashboard_script();
[[nodiscard]] std::string_view dashboard_sight();

}  // namespace saccade::service
