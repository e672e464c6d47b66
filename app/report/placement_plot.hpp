// Placements as charts: when each processor works on which frame, how busy each is, and what latency costs in
// energy or in rate. Threads: functions without state. Errors: those of writing files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "app/report/placement_report.hpp"
#include "app/report/plot.hpp"

namespace saccade::app {

// A processor's work on one stage of one frame.
struct WorkSpan {
  std::size_t frame = 0, stage = 0, processor = 0;
  double begin = 0.0, end = 0.0;  // seconds
  bool operator==(const WorkSpan&) const = default;
};

// The first frames of a pipeline that gets a frame every period: stages in order, each processor works on the
// frame that came first. Copies of a stage take turns.
[[nodiscard]] std::vector<WorkSpan> schedule_of(const placement::Costs& costs,
                                                const placement::Placement& placement, std::size_t frames);

[[nodiscard]] Chart gantt_chart(const std::string& network, const placement::Costs& costs,
                                const placement::Placement& placement);
// Of each strategy's placement: how long every processor works on a frame.
[[nodiscard]] BarChart load_chart(const PlacementReport& report);
// All non-dominated pairs of latency and energy; without energies, of latency and period.
[[nodiscard]] Chart trade_off_chart(const PlacementReport& report);

// The charts of the report's best placement, as NAME-gantt, NAME-load and NAME-front. What to say of them.
[[nodiscard]] Result<std::string> plot_placements(const PlacementReport& report,
                                                  const std::filesystem::path& folder);

}  // namespace saccade::app
