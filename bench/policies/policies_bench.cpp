// saccade bench policies CONFIG... --out DIR
#include <algorithm>
#include <array>
#include <iostream>

#include "app/report/exit_codes.hpp"
#include "app/report/options.hpp"
#include "app/report/output.hpp"
#include "app/report/table.hpp"
#include "bench/bench.hpp"
#include "bench/paper/finding.hpp"
#include "bench/paper/trial.hpp"
#include "bench/real_run.hpp"
#include "config/config.hpp"
#include "config/fit.hpp"
#include "config/solvers.hpp"
#include "text/strict_json.hpp"

namespace saccade::bench {
namespace {

using scheduler::kPolicyKinds;
using scheduler::PolicyKind;

constexpr Duration kDefaultDuration = std::chrono::seconds(60);
constexpr Duration kAfterTheTimeline = std::chrono::seconds(5);

const app::CommandSpec& policies_spec() {
  static const app::CommandSpec spec{
      "bench policies",
      "CONFIG...",
      "The four policies side by side on the same arrivals, for each configuration: achieved rate, "
      "accuracy,\n"
      "delivered accuracy, switches, overhead, memory. Full demand is where the timeline asks for the most\n"
      "frames per second. Simulated, unless real engines are asked for.",
      {{"out", "DIR", "write policies.json, policies-table.csv and a chart per configuration there"},
       {"duration", "TIME", "how long (default: 5 s beyond the timeline, 60 s where there is none)"},
       {"seed", "N", "of the simulation (default: 1)"},
       {"real", "", "on the engine library, one policy after the other, in real time"},
       {"docs", "FILE", "write the table between the `policies` markers of this Markdown file"},
       {"json", "", "JSON instead of a table"}},
      1,
      std::numeric_limits<std::size_t>::max(),
      "The heuristics ignore the configuration's limits unless it has `within_limits`. Something that must "
      "hold\n"
      "and did not is a failure (exit code 1), no figure is."};
  return spec;
}

struct Request {
  std::optional<Duration> duration;
  std::uint64_t seed = 1;
  bool real = false;
};

FindingTable empty_table() {
  return {
      "policies",
      "Policies side by side",
      {"configuration", "policy", "achieved at full demand", "achieved rate", "mean relative accuracy",
       "delivered accuracy", "switches", "frames lost to them", "overhead", "busy share", "memory peak (MB)"},
      {}};
}

// Frames demanded per second, over all tasks.
double demand_of(const runtime::SegmentSummary& segment) {
  std::int64_t demanded = 0;
  for (const runtime::SegmentFrames& task : segment.tasks) demanded += task.demanded;
  return static_cast<double>(demanded) / (segment.to - segment.from).value();
}

// Processed of demanded where the timeline demands most (within 1 %), the mean over the tasks. Ticks come
// one by one: what is shorter than half a second says nothing.
std::optional<double> achieved_at_full_demand(const runtime::RunSummary& summary) {
  std::vector<const runtime::SegmentSummary*> segments;
  double most = 0.0;
  for (const runtime::SegmentSummary& segment : summary.segments) {
    if (segment.to - segment.from < Seconds(0.5)) continue;
    segments.push_back(&segment);
    most = std::max(most, demand_of(segment));
  }
  std::erase_if(segments, [&](const auto* segment) { return demand_of(*segment) < 0.99 * most; });
  double sum = 0.0, tasks = 0.0;
  for (std::size_t task = 0; task < summary.tasks.size(); ++task) {
    double demanded = 0.0, processed = 0.0;
    for (const runtime::SegmentSummary* segment : segments) {
      demanded += static_cast<double>(segment->tasks[task].demanded);
      processed += static_cast<double>(segment->tasks[task].processed);
    }
    if (demanded <= 0.0) continue;
    sum += processed / demanded;
    tasks += 1.0;
  }
  return tasks > 0.0 ? std::optional(sum / tasks) : std::nullopt;
}

std::int64_t lost_to_switches(const runtime::RunSummary& summary) {
  std::int64_t lost = 0;
  for (const runtime::SwitchSummary& each : summary.switches) lost += each.frames_lost;
  return lost;
}

std::vector<Cell> policy_row(const std::string& config, PolicyKind kind, const runtime::RunSummary& summary) {
  return {word(config),
          word(to_string(kind)),
          percent(achieved_at_full_demand(summary), 1),
          percent(summary.achieved_rate, 2),
          percent(summary.mean_relative_accuracy, 2),
          percent(summary.delivered_accuracy, 2),
          number(static_cast<double>(summary.switches.size()), 0),
          number(static_cast<double>(lost_to_switches(summary)), 0),
          percent(summary.overhead_share, 4),
          percent(summary.processors.front().busy_share),
          scaled(summary.memory_peak.value(), 1e-6, 1)};
}

Result<runtime::RunSummary> run_one(runtime::RunConfig config, PolicyKind kind, const Request& request,
                                    std::string& breach) {
  config.policy = kind;
  const Duration last = config.timeline.back().at;
  const Duration duration =
      request.duration.value_or(last > Duration(0) ? last + kAfterTheTimeline : kDefaultDuration);
  const std::unique_ptr<ilp::ChoiceSolver> solver = config::make_solver(config.solver);
  const auto policy = scheduler::make_policy(kind, *solver);
  if (request.real) return run_real(config, *policy, duration);
  SimulatedRun trial = simulate(config, *policy, to_seconds(duration), request.seed);
  breach = trial.breach;
  return std::move(trial.summary);
}

// Adds what one configuration gave to the finding.
Status run_config_file(const std::string& file, const Request& request, Finding& finding) {
  Result<config::LoadedConfig> loaded = config::read_config(file);
  if (!loaded) return loaded.errors();
  if (!loaded.value().plan_only.empty()) return loaded.value().plan_only;
  const std::string name = std::filesystem::path(file).stem().string();
  double fullest = 0.0;
  for (const runtime::TimelineState& state : loaded.value().run.timeline) {
    fullest = std::max(fullest, config::fullness(state.snapshot));
  }
  finding.remarks.push_back(name + ": the most accurate variants of all tasks together need " +
                            number(fullest, 1).text + " times the time budget at full demand.");
  app::BarChart chart{name + ": the policies on the same arrivals", "%", {}, {}};
  chart.series = {{"achieved rate", {}}, {"mean relative accuracy", {}}, {"delivered accuracy", {}}};
  for (const PolicyKind kind : kPolicyKinds) {
    std::string breach;
    const Result<runtime::RunSummary> ran = run_one(loaded.value().run, kind, request, breach);
    if (!ran) return ran.errors();
    if (!breach.empty()) finding.breaches.push_back(name + ", " + to_string(kind) + ": " + breach);
    const runtime::RunSummary& summary = ran.value();
    finding.tables.front().rows.push_back(policy_row(name, kind, summary));
    chart.groups.emplace_back(to_string(kind));
    const std::array values = {summary.achieved_rate, summary.mean_relative_accuracy,
                               summary.delivered_accuracy};
    for (std::size_t i = 0; i < values.size(); ++i) {
      chart.series[i].values.push_back(values[i] ? std::optional(100.0 * *values[i]) : std::nullopt);
    }
  }
  finding.figures.push_back({"policies-" + name, std::move(chart)});
  return Done{};
}

void print_table(const FindingTable& table, std::ostream& out) {
  using Align = app::Table::Align;
  std::vector<app::Table::Column> columns;
  for (const std::string& title : table.columns) {
    columns.push_back({title, columns.size() < 2 ? Align::left : Align::right});
  }
  app::Table printed(columns);
  for (const std::vector<Cell>& row : table.rows) {
    std::vector<std::string> cells;
    for (const Cell& cell : row) cells.push_back(cell.text);
    printed.add_row(cells);
  }
  printed.print(out);
}

// What a reader compares first; the rest is in the CSV.
std::string for_docs(const Finding& finding, const Provenance& from) {
  constexpr std::size_t kColumns = 8;
  FindingTable table = finding.tables.front();
  table.columns.resize(kColumns);
  for (std::vector<Cell>& row : table.rows) row.resize(kColumns);
  std::string remarks;
  for (const std::string& remark : finding.remarks) remarks += remark + "\n";
  return "\n" + remarks + "\n" + markdown(table) + "\n" + finding.about + " Written by `" + from.command +
         "`: " + one_line(from) + ".\n\n";
}

// Returns the exit code when the command line is wrong.
std::optional<int> read_request(const app::Invocation& call, Request& request, std::ostream& err) {
  request.real = call.has("real");
  if (const auto text = call.value("duration")) {
    request.duration = app::duration_from(*text);
    if (!request.duration || *request.duration <= Duration(0)) {
      return app::usage_error("bench policies", std::string("--duration takes ") + app::kDurationWords, err);
    }
  }
  if (const auto text = call.value("seed")) {
    const auto seed = app::whole_number_from(*text);
    if (!seed) return app::usage_error("bench policies", "--seed takes a whole number", err);
    request.seed = *seed;
  }
  return std::nullopt;
}

Result<Finding> compare_policies(const std::vector<std::string>& files, const Request& request,
                                 std::ostream& err) {
  Finding finding;
  finding.name = "policies";
  finding.title = "The policies side by side";
  finding.about = request.real ? "On real engines." : "Simulated.";
  finding.tables.push_back(empty_table());
  Progress progress(err);
  for (std::size_t i = 0; i < files.size(); ++i) {
    progress.show(files[i], static_cast<double>(i) / static_cast<double>(files.size()));
    if (const Status done = run_config_file(files[i], request, finding); !done) return done.errors();
  }
  return finding;
}

void print_report(const Finding& finding, const Provenance& from, bool json, std::ostream& out) {
  if (json) {
    nlohmann::ordered_json whole = to_json(finding);
    whole["provenance"] = to_json(from);
    out << whole.dump(2) << '\n';
    return;
  }
  print_table(finding.tables.front(), out);
  for (const std::string& remark : finding.remarks) out << remark << '\n';
  out << finding.about << ' ' << one_line(from) << '\n';
}

// The page only when nothing that must hold was broken, the files always.
Errors write_outputs(const app::Invocation& call, const Finding& finding, const Provenance& from,
                     std::ostream& err) {
  Errors errors;
  const auto collect = [&](const auto& result) {
    if (!result) errors.insert(errors.end(), result.errors().begin(), result.errors().end());
    return result.ok();
  };
  if (const auto docs = call.value("docs"); docs && finding.breaches.empty()) {
    collect(replace_between_markers(*docs, "policies", for_docs(finding, from)));
  }
  if (const auto folder = call.value("out")) {
    const Result<std::string> note = write_files(finding, from, *folder, "");
    if (collect(note) && !note.value().empty()) err << note.value() << '\n';
  }
  return errors;
}

}  // namespace

int bench_policies(const BenchArguments& args, std::ostream& out, std::ostream& err) {
  const app::Invocation call = app::parse_command_line(policies_spec(), args, out, err);
  if (call.exit_code()) return *call.exit_code();
  Request request;
  if (const auto exit_code = read_request(call, request, err)) return *exit_code;
  const Provenance from = provenance(command_of("policies", args), request.seed);
  const Result<Finding> finding = compare_policies(call.arguments(), request, err);
  if (!finding) return app::fail(finding.errors(), app::kExitConfig, err);
  print_report(finding.value(), from, call.has("json"), out);
  for (const std::string& breach : finding.value().breaches) err << breach << '\n';
  const Errors errors = write_outputs(call, finding.value(), from, err);
  app::print_errors(errors, err);
  return errors.empty() && finding.value().breaches.empty() ? app::kExitOk : app::kExitFailed;
}

}  // namespace saccade::bench
