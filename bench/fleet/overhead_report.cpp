// What overhead.hpp measures, as tables, as JSON, and against what is asked.
#include <algorithm>
#include <utility>

#include "bench/fleet/overhead.hpp"
#include "bench/paper/finding.hpp"
#include "bench/report.hpp"

namespace saccade::bench {
namespace {

using nlohmann::ordered_json;

constexpr double kMegabyte = 1e6;
constexpr FleetSize kAskedFleet = {10'000, 500, Sites::anywhere, 1};

// A column: its title, digits, and the figure of each measurement.
struct Column {
  const char* title;
  int digits;
  std::vector<double> values;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return quantile(values, 0.5);
}

template <class Each, class Of>
Column column(const char* title, int digits, const std::vector<Each>& all, const Of& of) {
  Column made{title, digits, {}};
  for (const Each& each : all) made.values.push_back(of(each));
  return made;
}

double cpu_percent(const ProcessCost& cost) { return 100.0 * cost.cpu; }
double megabytes(Bytes bytes) { return bytes.value() / kMegabyte; }

std::vector<Column> columns_of(const std::vector<AgentPair>& pairs) {
  std::vector<Column> columns;
  const auto three = [&](const char* with, const char* without, const char* more, int digits, auto of) {
    columns.push_back(column(with, digits, pairs, [&](const AgentPair& p) { return of(p.with); }));
    columns.push_back(column(without, digits, pairs, [&](const AgentPair& p) { return of(p.without); }));
    columns.push_back(
        column(more, digits, pairs, [&](const AgentPair& p) { return of(p.with) - of(p.without); }));
  };
  three("CPU with store (%)", "CPU without (%)", "CPU more (points)", 3, cpu_percent);
  three("RSS with store (MB)", "RSS without (MB)", "RSS more (MB)", 2,
        [](const ProcessCost& cost) { return megabytes(cost.resident); });
  three("anonymous with store (MB)", "anonymous without (MB)", "anonymous more (MB)", 2,
        [](const ProcessCost& cost) { return megabytes(cost.anonymous); });
  return columns;
}

std::vector<Column> columns_of(const std::vector<PlannerCost>& planners) {
  return {
      column("all placed after (s)", 1, planners, [](const PlannerCost& p) { return p.seconds; }),
      column("CPU by then (s)", 2, planners, [](const PlannerCost& p) { return p.cpu_seconds; }),
      column("RSS, peak (MB)", 1, planners, [](const PlannerCost& p) { return megabytes(p.peak); }),
      column("RSS afterwards (MB)", 1, planners,
             [](const PlannerCost& p) { return megabytes(p.after.resident); }),
      column("anonymous afterwards (MB)", 1, planners,
             [](const PlannerCost& p) { return megabytes(p.after.anonymous); }),
      column("CPU afterwards (%)", 2, planners, [](const PlannerCost& p) { return cpu_percent(p.after); }),
  };
}

Sheet sheet_of(const std::string& what, const std::vector<Column>& columns) {
  Sheet sheet{{what}};
  for (const Column& column : columns) sheet.titles.emplace_back(column.title);
  const std::size_t count = columns.front().values.size();
  for (std::size_t n = 0; n <= count; ++n) {
    Cells& row = sheet.rows.emplace_back(Cells{n < count ? std::to_string(n + 1) : "median"});
    for (const Column& column : columns) {
      const double value = n < count ? column.values[n] : median(column.values);
      row.push_back(number(value, column.digits).text);
    }
  }
  return sheet;
}

ordered_json json_of(const ProcessCost& cost) {
  return {{"cpu", cost.cpu},
          {"resident_bytes", cost.resident.value()},
          {"anonymous_bytes", cost.anonymous.value()}};
}

}  // namespace

std::vector<Sheet> sheets_of(const Overhead& overhead) {
  const std::string size = std::to_string(overhead.fleet.cameras) + " cameras x " +
                           std::to_string(overhead.fleet.boxes) + " boxes";
  return {sheet_of("agent, pair", columns_of(overhead.agents)),
          sheet_of("planner, " + size, columns_of(overhead.planners))};
}

ordered_json to_json(const Overhead& overhead) {
  ordered_json agents = ordered_json::array();
  for (const AgentPair& pair : overhead.agents)
    agents.push_back({{"with", json_of(pair.with)}, {"without", json_of(pair.without)}});
  ordered_json planners = ordered_json::array();
  for (const PlannerCost& cost : overhead.planners) {
    planners.push_back({{"seconds", cost.seconds},
                        {"cpu_seconds", cost.cpu_seconds},
                        {"peak_bytes", cost.peak.value()},
                        {"after", json_of(cost.after)}});
  }
  return {{"agents", std::move(agents)},
          {"cameras", overhead.fleet.cameras},
          {"boxes", overhead.fleet.boxes},
          {"planners", std::move(planners)}};
}

std::vector<FigureCheck> checks_of(const Overhead& overhead) {
  const std::vector<Column> agent = columns_of(overhead.agents);
  std::vector<FigureCheck> checks = {
      {"agent: processor time, % of a core", 0.2, false, median(agent[2].values)},
      {"agent: resident memory, MB", 3.0, false, median(agent[5].values)}};
  if (overhead.fleet.cameras != kAskedFleet.cameras || overhead.fleet.boxes != kAskedFleet.boxes)
    return checks;
  const std::vector<Column> planner = columns_of(overhead.planners);
  checks.push_back({"planner: resident memory, peak, MB", 300.0, false, median(planner[2].values)});
  return checks;
}

}  // namespace saccade::bench
