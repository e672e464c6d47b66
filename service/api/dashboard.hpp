// The dashboard's files, built into the program: one page, its style sheet and its scripts.
// Threads: constants.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace saccade::service {

struct DashboardFile {
  std::string_view name;  // in the URL; of the page: empty
  std::string_view type;  // of its content
  std::string_view text;
};

inline constexpr std::size_t kDashboardFiles = 11;
[[nodiscard]] const std::array<DashboardFile, kDashboardFiles>& dashboard_files();

}  // namespace saccade::service
