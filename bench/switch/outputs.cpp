// The report as tables, JSON, CSV, charts and Markdown.
#include <algorithm>
#include <ostream>
#include <regex>

#include "app/report/plot.hpp"
#include "app/report/table.hpp"
#include "bench/switch/report.hpp"

namespace saccade::bench {
namespace {

using nlohmann::ordered_json;

ordered_json seconds(const std::optional<double>& ms) {
  return ms ? ordered_json(*ms * 1e-3) : ordered_json(nullptr);
}

ordered_json to_json(const GapFigures& gap) {
  return {{"task", gap.task},
          {"gaps", gap.plain},
          {"gaps_at_switch", gap.at_switch},
          {"gap_p99_seconds", seconds(gap.plain_p99)},
          {"gap_at_switch_p99_seconds", seconds(gap.switch_p99)},
          {"gap_at_switch_max_seconds", seconds(gap.switch_max)},
          {"gaps_at_switch_beyond", gap.beyond},
          {"gaps_beyond", gap.plain_beyond}};
}

ordered_json to_json(const LossFigures& lost) {
  ordered_json object;
  const auto add = [&](const char* name, const LossCount& count) {
    const std::string key = name;
    object[key] = count.all;
    object[key + "_by_switch"] = count.by_switch;
    object[key + "_outside"] = count.outside;
  };
  add("kept", lost.kept);
  add("both_fit", lost.both_fit);
  add("not_both_fit", lost.not_both);
  add("while_nothing_changes", lost.quiet);
  object["outside"] = lost.outside();
  object["reasons"] = lost.reasons;
  return object;
}

ordered_json to_json(const Part& part) {
  const RunFigures& figures = part.figures;
  ordered_json gaps = ordered_json::array();
  for (const GapFigures& gap : figures.gaps) gaps.push_back(to_json(gap));
  ordered_json memory = ordered_json::array();
  for (const Bytes bytes : part.recording.memory) memory.push_back(bytes.value());
  return {{"way", part.name},
          {"seconds", figures.seconds},
          {"frames", figures.frames},
          {"frames_while_nothing_changes", figures.quiet_frames},
          {"switches", figures.switches},
          {"both_fit", part.product ? ordered_json(figures.both_fit) : ordered_json(nullptr)},
          {"lost", to_json(figures.lost)},
          {"inference_p99_seconds", seconds(figures.inference_p99_ms)},
          {"latency_p99_seconds", seconds(figures.latency_p99_ms)},
          {"busy_share", figures.busy_share},
          {"time_budget", figures.capacity},
          {"outside",
           {{"count", figures.holds},
            {"held_seconds", figures.held_ms * 1e-3},
            {"steal_seconds", figures.stolen_ms * 1e-3}}},
          {"memory_growth_bytes",
           figures.memory_growth_mb ? ordered_json(*figures.memory_growth_mb * 1e6) : ordered_json(nullptr)},
          {"memory_looks_bytes", memory},
          {"gaps", gaps}};
}

ordered_json to_json(const LoadFigures& loads) {
  ordered_json pairs = ordered_json::array();
  for (const PairFigures& pair : loads.pairs) {
    pairs.push_back({{"inference_p99_of_median_without", pair.inference_without},
                     {"inference_p99_of_median_with", pair.inference_with},
                     {"latency_p99_seconds_without", pair.latency_without_ms * 1e-3},
                     {"latency_p99_seconds_with", pair.latency_with_ms * 1e-3}});
  }
  return {{"loads", loads.loads},
          {"inference_p99_ratio", json_or_null(loads.inference_ratio)},
          {"latency_p99_ratio", json_or_null(loads.latency_ratio)},
          {"pairs", pairs},
          {"outside", {{"count", loads.holds}, {"held_seconds", loads.held_ms * 1e-3}}}};
}

ordered_json to_json(const LongRun& run) {
  const auto seen = [&](const ordered_json& figure) {  // absent: no CPU was watched
    return run.real.outside.watched ? figure : ordered_json();
  };
  return {{"seconds", run.real.seconds.value()},
          {"changes", run.changes},
          {"switches", run.real.switches.size()},
          {"achieved_rate", run.real.achieved_rate ? ordered_json(*run.real.achieved_rate) : ordered_json()},
          {"achieved_rate_without_outside", seen(achieved_without_outside(run.real))},
          {"lost_outside", seen(run.real.outside.frames)},
          {"held_seconds", seen(run.real.outside.held.value())},
          {"steal_seconds", seen(run.real.outside.stolen.value())},
          {"overhead_share", run.real.overhead_share},
          {"busy_share", run.real.processors.front().busy_share},
          {"stalls", seen(run.real.stalls)},
          {"longest_stall_seconds", seen(run.real.longest_stall.value())},
          {"simulated_achieved_rate",
           run.simulated.achieved_rate ? ordered_json(*run.simulated.achieved_rate) : ordered_json()},
          {"simulated_switches", run.simulated.switches.size()}};
}

const Cells kWays = {"way",
                     "switches (both fit)",
                     "frames",
                     "lost: kept (by a switch)",
                     "lost: both fit (by a switch)",
                     "lost: others",
                     "frames while nothing changes",
                     "lost",
                     "of all lost: outside (of kept)",
                     "inference p99 ms",
                     "latency p99 ms",
                     "busy",
                     "memory grown MB",
                     "held from outside ms (steal)"};
Cells cells_of(const Part& part) {
  const RunFigures& f = part.figures;
  const auto n = [](std::size_t count) { return std::to_string(count); };
  const std::string both = part.product ? " (" + n(f.both_fit) + ")" : "";
  return {part.name,
          n(f.switches) + both,
          n(f.frames),
          n(f.lost.kept.all) + (part.product ? " (" + n(f.lost.kept.by_switch) + ")" : ""),
          part.product ? n(f.lost.both_fit.all) + " (" + n(f.lost.both_fit.by_switch) + ")" : "-",
          n(f.lost.not_both.all),
          n(f.quiet_frames),
          n(f.lost.quiet.all),
          n(f.lost.outside()) + " (" + n(f.lost.kept.outside) + ")",
          fixed(f.inference_p99_ms),
          fixed(f.latency_p99_ms),
          app::percent(f.busy_share) + " of " + app::percent(f.capacity, 0),
          fixed(f.memory_growth_mb),
          fixed(f.held_ms) + " (" + fixed(f.stolen_ms) + ")"};
}

const Cells kGaps = {"way",    "task",      "gaps (beyond p99 + 2 ms)", "p99 ms", "at switches (beyond it)",
                     "p99 ms", "longest ms"};
Cells cells_of(const Part& part, const GapFigures& gap) {
  const auto of_them = [](std::size_t n, std::size_t beyond) {
    return std::to_string(n) + " (" + std::to_string(beyond) + ")";
  };
  return {part.name,
          gap.task,
          of_them(gap.plain, gap.plain_beyond),
          fixed(gap.plain_p99),
          of_them(gap.at_switch, gap.beyond),
          fixed(gap.switch_p99),
          fixed(gap.switch_max)};
}

const Cells kPairs = {
    "pair", "inference p99 / median without loads", "with", "ratio", "latency p99 ms without", "with",
    "ratio"};
Cells cells_of(std::size_t number, const PairFigures& pair) {
  return {std::to_string(number),
          fixed(pair.inference_without),
          fixed(pair.inference_with),
          fixed(pair.inference_with / pair.inference_without),
          fixed(pair.latency_without_ms),
          fixed(pair.latency_with_ms),
          fixed(pair.latency_with_ms / pair.latency_without_ms)};
}

const Cells kLong = {"run",           "seconds", "changes", "switches", "achieved", "lost outside (held ms)",
                     "without these", "overhead"};
std::vector<Cells> rows_of(const LongRun& run) {
  const auto row = [&](const char* name, const runtime::RunSummary& summary) {
    const bool watched = summary.outside.watched;
    return Cells{name,
                 fixed(summary.seconds.value()),
                 std::to_string(run.changes),
                 std::to_string(summary.switches.size()),
                 app::percent(summary.achieved_rate.value_or(0.0), 3),
                 watched ? std::to_string(summary.outside.frames) + " (" +
                               fixed(1e3 * summary.outside.held.value()) + ")"
                         : "-",
                 watched ? app::percent(achieved_without_outside(summary), 3) : "-",
                 app::percent(summary.overhead_share, 4)};
  };
  return {row("real", run.real), row("simulated", run.simulated)};
}

std::vector<Sheet> sheets(const SwitchReport& report) {
  Sheet ways{kWays}, gaps{kGaps, 2}, pairs{kPairs}, long_runs{kLong}, asked = sheet_of(checks(report));
  for (const Part& part : report.parts) {
    ways.rows.push_back(cells_of(part));
    for (const GapFigures& gap : part.figures.gaps) gaps.rows.push_back(cells_of(part, gap));
  }
  if (report.loads) {
    for (const PairFigures& pair : report.loads->pairs) {
      pairs.rows.push_back(cells_of(pairs.rows.size() + 1, pair));
    }
  }
  if (report.long_run) long_runs.rows = rows_of(*report.long_run);
  std::vector<Sheet> all;
  for (Sheet* sheet : {&ways, &gaps, &pairs, &long_runs, &asked}) {
    if (!sheet->rows.empty()) all.push_back(std::move(*sheet));
  }
  return all;
}

std::string csv(const SwitchReport& report) {
  Csv table(report.provenance,
            {"way", "task", "gaps", "gap_p99_seconds", "gaps_at_switch", "gap_at_switch_p99_seconds",
             "gap_at_switch_max_seconds", "gaps_at_switch_beyond", "gaps_beyond"});
  const auto cell = [](const std::optional<double>& ms) {
    return ms ? ordered_json(*ms * 1e-3).dump() : std::string();
  };
  for (const Part& part : report.parts) {
    for (const GapFigures& gap : part.figures.gaps) {
      table.add_row({part.name, gap.task, std::to_string(gap.plain), cell(gap.plain_p99),
                     std::to_string(gap.at_switch), cell(gap.switch_p99), cell(gap.switch_max),
                     std::to_string(gap.beyond), std::to_string(gap.plain_beyond)});
    }
  }
  return table.text();
}

// Every way's gaps at a switch, sorted, against the share of them that are no longer.
app::Chart chart_of(const SwitchReport& report) {
  app::Chart chart;
  chart.title = "service gaps at a switch (commit " + report.provenance.commit + ")";
  chart.x_label = "gap (ms; " + report.provenance.machine + ")";
  chart.y_label = "share of switches with a gap no longer";
  chart.x_log = true;
  for (const Part& part : report.parts) {
    std::vector<double> gaps;
    for (runtime::TaskIndex task = 0; task < part.recording.tasks.size(); ++task) {
      const std::vector<double> of_task = gaps_at_switches(part.recording, task);
      gaps.insert(gaps.end(), of_task.begin(), of_task.end());
    }
    std::sort(gaps.begin(), gaps.end());
    app::Series series;
    series.name = part.name;
    series.style = app::Series::Style::steps;
    for (std::size_t i = 0; i < gaps.size(); ++i) {
      series.x.push_back(gaps[i]);
      series.y.push_back(static_cast<double>(i + 1) / static_cast<double>(gaps.size()));
    }
    if (!gaps.empty()) chart.series.push_back(std::move(series));
  }
  return chart;
}

}  // namespace

ordered_json to_json(const SwitchReport& report) {
  ordered_json ways = ordered_json::array();
  for (const Part& part : report.parts) ways.push_back(to_json(part));
  ordered_json object{
      {"bench", "switch"},
      {"provenance", to_json(report.provenance)},
      {"scenario", report.scenario},
      {"engines", report.engines},
      {"ways", ways},
      {"loads_on_the_same_core", report.loads ? to_json(*report.loads) : ordered_json(nullptr)},
      {"checks", to_json(checks(report))}};
  if (report.long_run) object["long_run"] = to_json(*report.long_run);
  return object;
}

void print_tables(const SwitchReport& report, std::ostream& out) {
  print(sheets(report), out);
  out << one_line(report.provenance) << ", " << report.provenance.date << "; " << report.engines << '\n';
}

std::string markdown(const SwitchReport& report) {
  return measured_how(report.provenance, report.engines) + markdown(sheets(report));
}

Status write_files(const SwitchReport& report, const std::filesystem::path& folder, std::ostream& err) {
  Errors errors;
  const auto collect = [&errors](const Errors& more) {
    errors.insert(errors.end(), more.begin(), more.end());
  };
  const std::string stem = std::regex_replace(report.kind, std::regex(" --"), "-");
  const Status json = write_text(folder / (stem + ".json"), to_json(report).dump(2) + '\n');
  if (!json) collect(json.errors());
  if (!report.parts.empty() && errors.empty()) {
    const Status table = write_text(folder / (stem + ".csv"), csv(report));
    if (!table) collect(table.errors());
    const app::Chart chart = chart_of(report);
    if (!chart.series.empty()) {
      const Result<app::Plotted> plotted = app::write_chart(chart, folder / (stem + "-gaps"));
      if (!plotted) collect(plotted.errors());
      if (plotted && !plotted.value().note.empty()) err << plotted.value().note << '\n';
    }
  }
  return errors.empty() ? Status(Done{}) : Status(errors);
}

}  // namespace saccade::bench
