#include <algorithm>
#include <iostream>
#include <ostream>

#include "app/report/exit_codes.hpp"
#include "app/report/options.hpp"
#include "app/report/output.hpp"
#include "bench/bench.hpp"
#include "bench/solver/outputs.hpp"
#include "runtime/machine/thread_settings.hpp"
#include "text/strict_json.hpp"

namespace saccade::bench {
namespace {

constexpr std::uint64_t kFirstSeed = 1;
constexpr double kMostSeeds = 100'000;

const app::CommandSpec& spec() {
  static const app::CommandSpec spec{
      "bench solver",
      "",
      "The planner beside plain GLPK and, where installed, CBC and HiGHS, on the same instances in one run\n"
      "on one core: median, 99th percentile and worst time, gap, what is proven, and whether the planner\n"
      "meets its requirements. docs/benchmarks.md describes the cases.",
      {{"only", "CASE,CASE", "these cases alone; a name that several begin with takes them all"},
       {"seeds", "N", "instances of each case (default: 200)"},
       {"out", "DIR", "write solver.json, solver.csv, solver-runs.csv and charts there"},
       {"docs", "FILE", "write the tables between the markers of this Markdown file"},
       {"json", "", "JSON instead of tables"},
       {"quick", "", "a few seeds and small instances: does it work, not how fast it is"}},
      0,
      0,
      "A slow figure is no failure; a wrong answer is (exit code 1)."};
  return spec;
}

// Of every case when `names` is empty; an error names what is not known.
Result<std::vector<const Case*>> chosen(const std::string& names) {
  std::vector<const Case*> result;
  std::vector<std::string> known;
  for (const Case& which : cases()) known.emplace_back(which.name);
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    const std::string name = names.substr(begin, end - begin);
    const std::size_t before = result.size();
    const bool exact = std::find(known.begin(), known.end(), name) != known.end();
    for (const Case& which : cases()) {
      const std::string candidate = which.name;
      if (exact ? candidate == name : candidate.starts_with(name)) result.push_back(&which);
    }
    if (result.size() == before) {
      const std::string meant = text::nearest(name, known);
      return Error{"--only", "there is no case " + text::in_quotes(name),
                   meant.empty() ? "saccade bench solver --help" : "did you mean `" + meant + "`?"};
    }
    begin = end + 1;
  }
  return result;
}

// The same case at a size that is over in an instant.
Case small(const Case& which) {
  Case result = which;
  result.shape.groups = std::min<std::size_t>(which.shape.groups, 4);
  result.shape.options = std::min<std::size_t>(which.shape.options, 12);
  return result;
}

SolverReport run(const std::vector<const Case*>& which, const Settings& settings, const std::string& command,
                 std::ostream& err) {
  SolverReport report{.provenance = provenance(command, settings.first_seed),
                      .settings = settings,
                      .versions = {},
                      .missing = {},
                      .cases = {},
                      .measured = {}};
  const Others others = other_contenders();
  report.missing = others.missing;
  for (const auto& other : others.contenders) report.versions.emplace_back(other->name(), other->version());
  const std::vector<int> cpus = runtime::allowed_cpus();
  if (!cpus.empty()) runtime::pin_to({cpus.back()});
  Progress progress(err);
  for (std::size_t i = 0; i < which.size(); ++i) {
    const auto show = [&](double share) {
      progress.show(which[i]->name, (static_cast<double>(i) + share) / static_cast<double>(which.size()));
    };
    report.measured.push_back(measure(*which[i], others.contenders, settings, show));
    report.cases.push_back(summarise(report.measured.back()));
  }
  runtime::pin_to(cpus);
  return report;
}

}  // namespace

int bench_solver(const BenchArguments& args, std::ostream& out, std::ostream& err) {
  const app::Invocation call = app::parse_command_line(spec(), args, out, err);
  if (call.exit_code()) return *call.exit_code();
  Settings settings;
  settings.first_seed = kFirstSeed;
  const bool quick = call.has("quick");
  if (quick) settings = {.first_seed = kFirstSeed, .seeds = 3, .own_budget = 5.0, .other_budget = 0.2};
  if (const std::optional<std::string> text = call.value("seeds")) {
    const std::optional<double> seeds = app::number_from(*text, 1.0);
    if (!seeds || *seeds > kMostSeeds) {
      return app::usage_error("bench solver", "--seeds is a number from 1 to 100000", err);
    }
    settings.seeds = static_cast<std::uint64_t>(*seeds);
  }
  Result<std::vector<const Case*>> which = chosen(call.value("only").value_or(""));
  if (!which) {
    app::print_errors(which.errors(), err);
    return app::kExitUsage;
  }
  std::vector<Case> smaller;
  smaller.reserve(which.value().size());
  for (const Case*& each : which.value()) {
    if (quick) each = &smaller.emplace_back(small(*each));
  }

  std::string command = "saccade bench solver";
  for (const std::string& arg : args) command += " " + arg;
  const SolverReport report = run(which.value(), settings, command, err);
  if (call.has("json")) {
    out << to_json(report).dump(2) << '\n';
  } else {
    print_tables(report, out);
  }
  bool failed = false;
  const auto check = [&failed, &err](const Status& status) {
    if (status) return;
    app::print_errors(status.errors(), err);
    failed = true;
  };
  if (const auto folder = call.value("out")) check(write_files(report, *folder, err));
  if (const auto file = call.value("docs")) {
    check(replace_between_markers(*file, "saccade bench solver", markdown(report)));
  }
  for (const CaseSummary& summary : report.cases) {
    for (const std::string& complaint : summary.complaints) {
      err << complaint << '\n';
      failed = true;
    }
  }
  return failed ? app::kExitFailed : app::kExitOk;
}

}  // namespace saccade::bench
