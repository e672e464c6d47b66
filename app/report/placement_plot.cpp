#include "app/report/placement_plot.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "placement/columns.hpp"
#include "placement/exact.hpp"

namespace saccade::app {
namespace {

using placement::Costs;
using placement::Placement;

// Of stage k, with its share of the transfers on both sides.
double stage_seconds(const Costs& costs, const Placement& placement, std::size_t k) {
  const placement::Stage& stage = placement[k];
  double seconds = costs.time(stage.processor, stage.first, stage.last);
  if (k > 0) seconds += costs.receive(stage.first, placement[k - 1].processor, stage.processor);
  if (k + 1 < placement.size())
    seconds += costs.send(stage.last, stage.processor, placement[k + 1].processor);
  return seconds;
}

const std::string& name_of(const Costs& costs, std::size_t processor) {
  return costs.chain().processors[processor].id.str();
}

std::string file_name(const std::string& network) {
  std::string name = network;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == ' ' || c == '/'; }, '-');
  return name;
}

}  // namespace

std::vector<WorkSpan> schedule_of(const Costs& costs, const Placement& placement, std::size_t frames) {
  const double period = placement::evaluate(costs, placement).period.value();
  std::vector<WorkSpan> spans;
  // When the stage before has given the next frame, and when each processor is free.
  std::vector<double> free(costs.processors(), 0.0);
  std::vector<std::size_t> stage_of(frames, 0);
  std::vector<double> ready;
  for (std::size_t f = 0; f < frames; ++f) ready.push_back(static_cast<double>(f) * period);
  for (std::size_t left = frames * placement.size(); left > 0; --left) {
    // Of all stages that wait, the one that can begin first; of those that can at once, the oldest frame's.
    WorkSpan next;
    bool found = false;
    for (std::size_t f = 0; f < frames; ++f) {
      if (stage_of[f] == placement.size()) continue;
      const placement::Stage& stage = placement[stage_of[f]];
      const std::size_t processor = stage.processor + f % stage.copies;
      const double begin = std::max(ready[f], free[processor]);
      if (found && begin >= next.begin) continue;
      next = {f, stage_of[f], processor, begin, begin + stage_seconds(costs, placement, stage_of[f])};
      found = true;
    }
    free[next.processor] = ready[next.frame] = next.end;
    ++stage_of[next.frame];
    spans.push_back(next);
  }
  return spans;
}

Chart gantt_chart(const std::string& network, const Costs& costs, const Placement& placement) {
  constexpr std::size_t kFrames = 6;
  constexpr double kHalf = 0.4;
  Chart chart;
  chart.title = network + ": " + to_string(costs, placement);
  chart.x_label = "time (ms)";
  chart.y_label = "processor";
  for (std::size_t p = 0; p < costs.processors(); ++p)
    chart.y_label += (p == 0 ? ": " : ", ") + std::to_string(p) + " = " + name_of(costs, p);
  chart.y_from = -0.5;
  chart.y_to = static_cast<double>(costs.processors()) - 0.5;
  chart.legend = false;
  for (const WorkSpan& span : schedule_of(costs, placement, kFrames)) {
    const auto row = static_cast<double>(span.processor);
    Series bar{"frame " + std::to_string(span.frame) + ", stage " + std::to_string(span.stage),
               Series::Style::lines,
               {1e3 * span.begin, 1e3 * span.end},
               {row, row},
               {row - kHalf, row - kHalf},
               {row + kHalf, row + kHalf}};
    bar.muted = span.frame != kFrames / 2;  // the way of one frame stands out
    chart.series.push_back(std::move(bar));
  }
  return chart;
}

BarChart load_chart(const PlacementReport& report) {
  BarChart chart;
  chart.title = report.network;
  chart.y_label = "work on a frame (ms)";
  for (const StrategyRow& row : report.rows) {
    if (row.answer.evaluation) chart.groups.emplace_back(row.strategy->name);
  }
  for (std::size_t p = 0; p < report.costs->processors(); ++p) {
    BarSeries bars{name_of(*report.costs, p), {}};
    for (const StrategyRow& row : report.rows) {
      if (row.answer.evaluation) bars.values.emplace_back(1e3 * row.answer.evaluation->load[p].value());
    }
    chart.series.push_back(std::move(bars));
  }
  return chart;
}

Chart trade_off_chart(const PlacementReport& report) {
  Chart chart;
  chart.title = report.network;
  chart.x_label = "latency of a frame alone (ms)";
  Series front{"placements that no other dominates", Series::Style::steps, {}, {}};
  if (report.costs->has_energy()) {
    chart.y_label = "energy of a frame (mJ)";
    for (const placement::FrontPoint& point : placement::energy_front(*report.costs).points) {
      front.x.push_back(1e3 * point.latency.value());
      front.y.push_back(1e3 * point.energy.value());
    }
  } else {
    chart.y_label = "time between two frames (ms)";
    std::vector<std::pair<double, double>> points;
    for (const placement::Column& column : placement::start_set(*report.costs))
      points.emplace_back(1e3 * column.evaluation.latency.value(), 1e3 * column.evaluation.period.value());
    std::sort(points.begin(), points.end());
    for (const auto& [latency, period] : points) {
      if (!front.y.empty() && period >= front.y.back()) continue;
      front.x.push_back(latency);
      front.y.push_back(period);
    }
  }
  chart.series.push_back(std::move(front));
  return chart;
}

Result<std::string> plot_placements(const PlacementReport& report, const std::filesystem::path& folder) {
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  const StrategyRow* best = report.best();
  if (best == nullptr) return std::string();
  const std::filesystem::path stem = folder / file_name(report.network);
  const auto with = [&](const char* end) { return stem.string() + end; };
  const auto gantt =
      write_chart(gantt_chart(report.network, *report.costs, *best->answer.placement), with("-gantt"));
  if (!gantt) return gantt.errors();
  const auto load = write_chart(load_chart(report), with("-load"));
  if (!load) return load.errors();
  const auto front = write_chart(trade_off_chart(report), with("-front"));
  if (!front) return front.errors();
  return gantt.value().note;
}

}  // namespace saccade::app
