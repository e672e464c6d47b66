#include "bench/solver/outputs.hpp"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <sstream>

#include "app/report/plot.hpp"
#include "app/report/table.hpp"

namespace saccade::bench {
namespace {

using nlohmann::ordered_json;

ordered_json optional(const std::optional<double>& value, double factor = 1.0) {
  return value ? ordered_json(*value * factor) : ordered_json(nullptr);
}

ordered_json to_json(const Summary& summary) {
  ordered_json object{{"name", summary.solver}, {"n", summary.n}};
  if (summary.n == 0) return object;
  object["median_seconds"] = summary.median_ms / 1e3;
  object["p99_seconds"] = summary.p99_ms / 1e3;
  object["worst_seconds"] = summary.worst_ms / 1e3;
  object["median_cpu_seconds"] = summary.median_cpu_ms / 1e3;
  object["worst_cpu_seconds"] = summary.worst_cpu_ms / 1e3;
  object["median_gap"] = optional(summary.median_gap);
  object["worst_gap"] = optional(summary.worst_gap);
  object["proven_share"] = summary.proven;
  object["infeasible_share"] = summary.infeasible;
  object["culprit_share"] = summary.culprit;
  object["ended_by_time_limit"] = summary.late;
  object["wrong"] = summary.wrong;
  object["times_saccade"] = optional(summary.times_ours);
  object["times_saccade_at_least"] = summary.times_at_least;
  return object;
}

ordered_json to_json(const Check& check) {
  const bool time = check.what.ends_with("_ms");
  const double factor = time ? 1e-3 : 1.0;
  const std::string name = time ? check.what.substr(0, check.what.size() - 3) + "_seconds" : check.what;
  return {{"what", name},
          {"asked", check.asked * factor},
          {"measured", optional(check.measured, factor)},
          {"met", check.met}};
}

bool met(const CaseSummary& summary) {
  return std::all_of(summary.checks.begin(), summary.checks.end(),
                     [](const Check& check) { return check.met; });
}

std::string met_words(const CaseSummary& summary) {
  if (summary.checks.empty()) return "-";
  std::string missed;
  for (const Check& check : summary.checks) {
    if (check.met) continue;
    std::string what = check.what.substr(0, check.what.find('_'));
    // Where only the wall time fails, the machine did something else meanwhile.
    const Summary& ours = summary.solvers.front();
    if ((what == "worst" && ours.worst_cpu_ms < check.asked) ||
        (what == "median" && ours.median_cpu_ms < check.asked)) {
      what += " (of CPU time: yes)";
    }
    missed += (missed.empty() ? "no: " : ", ") + what;
  }
  return missed.empty() ? "yes" : missed;
}

std::string fixed(double value) {
  std::ostringstream text;
  text.precision(value < 10.0 ? 2 : value < 100.0 ? 3 : 4);
  text << value;
  return text.str();
}
std::string time_words(double ms, bool at_least) { return (at_least ? "> " : "") + fixed(ms); }
std::string gap_words(const std::optional<double>& gap) {
  if (!gap) return "-";
  if (*gap <= ilp::kTolerance) return "0";
  std::ostringstream text;
  text.precision(1);
  text << std::scientific << *gap;
  return text.str();
}
std::string percent(double share) { return fixed(100.0 * share) + " %"; }

using Cells = std::vector<std::string>;

const Cells kPlannerTitles = {"case",   "what it is", "asked",        "n",          "median ms",
                              "p99 ms", "worst ms",   "worst CPU ms", "gap median", "gap worst",
                              "proven", "culprit",    "met"};
Cells planner_cells(const CaseSummary& summary) {
  const Case& which = *summary.which;
  const Summary& ours = summary.solvers.front();
  Cells cells{which.name, describe(which), describe(which.asked), std::to_string(ours.n)};
  if (ours.n == 0) {
    cells.resize(kPlannerTitles.size(), "-");
    return cells;
  }
  const bool culprit_counts = ours.infeasible > 0.0;
  const Cells figures{fixed(ours.median_ms),      fixed(ours.p99_ms),
                      fixed(ours.worst_ms),       fixed(ours.worst_cpu_ms),
                      gap_words(ours.median_gap), gap_words(ours.worst_gap),
                      percent(ours.proven),       culprit_counts ? percent(ours.culprit) : "-",
                      met_words(summary)};
  cells.insert(cells.end(), figures.begin(), figures.end());
  return cells;
}

Cells solver_titles(const SolverReport& report) {
  Cells titles{"case, median ms (n; times saccade)"};
  for (const Summary& summary : report.cases.front().solvers) titles.push_back(summary.solver);
  return titles;
}
Cells solver_cells(const CaseSummary& summary) {
  Cells cells{summary.which->name};
  for (const Summary& solver : summary.solvers) {
    if (solver.n == 0) {
      cells.emplace_back("-");
      continue;
    }
    std::string cell = time_words(solver.median_ms, solver.median_late) + " (" + std::to_string(solver.n);
    if (&solver != &summary.solvers.front() && solver.times_ours) {
      cell += std::string("; ") + (solver.times_at_least ? ">= " : "") + fixed(*solver.times_ours);
    }
    cells.push_back(cell + ")");
    if (solver.wrong > 0) cells.back() += " " + std::to_string(solver.wrong) + " wrong";
  }
  return cells;
}

std::string row_of(const Cells& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + cell + " |";
  return line + '\n';
}
std::string rule_of(std::size_t cells, std::size_t words) {
  std::string line = "|";
  for (std::size_t i = 0; i < cells; ++i) line += i < words ? "---|" : "--:|";
  return line + '\n';
}

std::string versions(const SolverReport& report) {
  std::string text;
  for (const auto& [name, version] : report.versions) {
    text += (text.empty() ? "" : ", ") + name + " " + version;
  }
  for (const std::string& name : report.missing) text += ", " + name + " not installed";
  return text;
}

std::string csv(const SolverReport& report) {
  Csv table(report.provenance,
            {"case", "solver", "n", "median_seconds", "p99_seconds", "worst_seconds", "median_cpu_seconds",
             "worst_cpu_seconds", "median_gap", "worst_gap", "proven_share", "culprit_share",
             "ended_by_time_limit", "wrong", "times_saccade"});
  for (const CaseSummary& summary : report.cases) {
    for (const Summary& solver : summary.solvers) {
      const ordered_json object = to_json(solver);
      Cells cells{summary.which->name, solver.solver};
      for (const char* key : {"n", "median_seconds", "p99_seconds", "worst_seconds", "median_cpu_seconds",
                              "worst_cpu_seconds", "median_gap", "worst_gap", "proven_share", "culprit_share",
                              "ended_by_time_limit", "wrong", "times_saccade"}) {
        cells.push_back(object.contains(key) && !object[key].is_null() ? object[key].dump() : "");
      }
      table.add_row(cells);
    }
  }
  return table.text();
}

std::string runs_csv(const SolverReport& report) {
  Csv table(report.provenance,
            {"case", "solver", "seed", "wall_seconds", "cpu_seconds", "verdict", "gap", "late", "wrong"});
  for (const Measured& measured : report.measured) {
    for (const Column& column : measured.columns) {
      for (const Run& run : column.runs) {
        table.add_row({measured.which->name, column.name, std::to_string(run.seed),
                       ordered_json(run.wall_ms / 1e3).dump(), ordered_json(run.cpu_ms / 1e3).dump(),
                       to_string(run.verdict), run.gap ? ordered_json(*run.gap).dump() : "",
                       run.late ? "1" : "0", run.wrong ? "1" : "0"});
      }
    }
  }
  return table.text();
}

// Time against tasks of one family, a line per solver, the band from median to worst.
app::Chart chart_of(const SolverReport& report, Family family) {
  app::Chart chart;
  chart.title = std::string(to_string(family)) + ": median, band to the worst (commit " +
                report.provenance.commit + ")";
  chart.x_label = "tasks (" + report.provenance.machine + ", " + report.provenance.compiler + ")";
  chart.y_label = "time of one answer (ms)";
  chart.x_log = chart.y_log = true;
  for (const Summary& solver : report.cases.front().solvers) {
    app::Series series;
    series.name = solver.solver;
    series.style = app::Series::Style::lines;
    for (const CaseSummary& summary : report.cases) {
      const Case& which = *summary.which;
      const Summary* figures = summary.of(solver.solver);
      const bool apart = which.shape.tightness != 0.5 || which.gap > 1e-5 ||
                         (family == Family::standard && which.shape.rows != 3);
      if (which.subject != Subject::solve || which.family != family || apart || figures == nullptr) continue;
      series.x.push_back(static_cast<double>(which.shape.groups));
      series.y.push_back(figures->median_ms);
      series.low.push_back(figures->median_ms);
      series.high.push_back(figures->worst_ms);
    }
    if (!series.x.empty()) chart.series.push_back(std::move(series));
  }
  return chart;
}

}  // namespace

ordered_json to_json(const SolverReport& report) {
  ordered_json versions = ordered_json::object(), cases = ordered_json::array();
  for (const auto& [name, version] : report.versions) versions[name] = version;
  for (const std::string& name : report.missing) versions[name] = nullptr;
  ordered_json complaints = ordered_json::array();
  for (const CaseSummary& summary : report.cases) {
    const Case& which = *summary.which;
    ordered_json solvers = ordered_json::array(), checks = ordered_json::array();
    for (const Summary& solver : summary.solvers) solvers.push_back(to_json(solver));
    for (const Check& check : summary.checks) checks.push_back(to_json(check));
    cases.push_back({{"case", which.name},
                     {"what", describe(which)},
                     {"asked", describe(which.asked)},
                     {"gap", which.gap},
                     {"time_limit_seconds", which.seconds},
                     {"checks", checks},
                     {"met", summary.checks.empty() ? ordered_json(nullptr) : ordered_json(met(summary))},
                     {"solvers", solvers}});
    for (const std::string& complaint : summary.complaints) complaints.push_back(complaint);
  }
  return {{"bench", "solver"},
          {"provenance", to_json(report.provenance)},
          {"seeds", report.settings.seeds},
          {"solver_versions", versions},
          {"cases", cases},
          {"complaints", complaints}};
}

void print_tables(const SolverReport& report, std::ostream& out) {
  if (report.cases.empty()) return;
  using Align = app::Table::Align;
  std::vector<app::Table::Column> titles;
  for (std::size_t i = 0; i < kPlannerTitles.size(); ++i) {
    if (i == 1) continue;  // what it is: too wide for a terminal
    titles.push_back(
        {kPlannerTitles[i], i < 3 || i + 1 == kPlannerTitles.size() ? Align::left : Align::right});
  }
  app::Table planner(titles);
  for (const CaseSummary& summary : report.cases) {
    Cells cells = planner_cells(summary);
    cells.erase(cells.begin() + 1);
    planner.add_row(cells);
  }
  planner.print(out);
  out << '\n';
  titles.clear();
  for (const std::string& title : solver_titles(report)) {
    titles.push_back({title, titles.empty() ? Align::left : Align::right});
  }
  app::Table solvers(titles);
  for (const CaseSummary& summary : report.cases) solvers.add_row(solver_cells(summary));
  solvers.print(out);
  out << '\n'
      << one_line(report.provenance) << ", " << report.provenance.date << "; " << versions(report) << '\n';
}

std::string markdown(const SolverReport& report) {
  std::string text = "\nMeasured " + report.provenance.date + " with `" + report.provenance.command +
                     "`: " + one_line(report.provenance) + " (one of " +
                     std::to_string(report.provenance.cores) + " cores), flags `" + report.provenance.flags +
                     "`, seeds from " + std::to_string(report.provenance.first_seed) + ". " +
                     versions(report) + ".\n\n";
  text += row_of(kPlannerTitles) + rule_of(kPlannerTitles.size(), 3);
  for (const CaseSummary& summary : report.cases) text += row_of(planner_cells(summary));
  if (report.cases.empty()) return text;
  const Cells titles = solver_titles(report);
  text += "\n" + row_of(titles) + rule_of(titles.size(), 1);
  for (const CaseSummary& summary : report.cases) {
    const bool compared = std::any_of(summary.solvers.begin() + 1, summary.solvers.end(),
                                      [](const Summary& solver) { return solver.n > 0; });
    if (compared) text += row_of(solver_cells(summary));
  }
  return text + "\n";
}

Status write_files(const SolverReport& report, const std::filesystem::path& folder, std::ostream& err) {
  Errors errors;
  const auto collect = [&errors](const Status& status) {
    if (!status) errors.insert(errors.end(), status.errors().begin(), status.errors().end());
  };
  collect(write_text(folder / "solver.json", to_json(report).dump(2) + '\n'));
  collect(write_text(folder / "solver.csv", csv(report)));
  collect(write_text(folder / "solver-runs.csv", runs_csv(report)));
  if (!errors.empty() || report.cases.empty()) return errors.empty() ? Status(Done{}) : Status(errors);
  std::string note;
  for (const Family family : {Family::standard, Family::identical, Family::correlated}) {
    const app::Chart chart = chart_of(report, family);
    if (chart.series.empty()) continue;
    const Result<app::Plotted> plotted =
        app::write_chart(chart, folder / (std::string("solver-") + to_string(family)));
    if (!plotted) {
      errors.insert(errors.end(), plotted.errors().begin(), plotted.errors().end());
    } else {
      note = plotted.value().note;
    }
  }
  if (!note.empty()) err << note << '\n';
  return errors.empty() ? Status(Done{}) : Status(errors);
}

}  // namespace saccade::bench
