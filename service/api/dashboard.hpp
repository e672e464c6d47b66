// The dashboard's files, built into the program: the page of a box and that of a planner of a fleet, their
// style sheets and scripts.
// Threads: constants.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace saccade::service {

enum class PageOf { box, planner, both };

struct DashboardFile {
  std::string_view name;  // in the URL; of the pages: empty
  std::string_view type;  // of its content
  std::string_view text;
  PageOf of = PageOf::box;  // who serves it
};

inline constexpr std::size_t kDashboardFiles = 14;
[[nodiscard]] const std::array<DashboardFile, kDashboardFiles>& dashboard_files();

}  // namespace saccade::service
