#include <algorithm>
#include <filesystem>
#include <ostream>

#include "app/report/exit_codes.hpp"
#include "app/report/options.hpp"
#include "app/report/output.hpp"
#include "bench/bench.hpp"
#include "bench/switch/plans.hpp"
#include "bench/switch/report.hpp"
#include "config/config.hpp"

namespace saccade::bench {
namespace {

constexpr const char* kSwitches = "switches.json";
constexpr const char* kTenMinutes = "ten-minutes.json";

const app::CommandSpec& spec() {
  static const app::CommandSpec spec{
      "bench switch",
      "",
      "Real engines exchanged while they serve, at full load: frames lost, gaps in service, inference and\n"
      "latency beside loads, memory after many switches, and the naive way (load and destroy on the thread\n"
      "that serves) beside it. docs/benchmarks.md tells how each figure is taken.",
      {{"long", "", "instead: the scenario of ten minutes with a change every 5 s, real and simulated"},
       {"scenarios", "DIR", "where switches.json and ten-minutes.json are (default: bench/scenarios)"},
       {"out", "DIR", "write switch.json, switch.csv and a chart there (--long: switch-long.json)"},
       {"docs", "FILE", "write the tables between the markers of this Markdown file"},
       {"json", "", "JSON instead of tables"},
       {"quick", "", "a few switches: does it work, not how well"}},
      0,
      0,
      "A figure that falls short is no failure. Let the machine be idle. Exit codes: 1 a file could not be\n"
      "written, 69 the engine library or a source is not there, 78 a bad scenario."};
  return spec;
}

struct Sizes {
  std::size_t settling = 50;
  std::size_t switches = 1000;
  std::size_t naive_switches = 150;
  std::size_t laps = 4;  // in a stretch
  std::size_t pairs = 5;
  Duration stretch = std::chrono::seconds(6);
};
constexpr Sizes kQuick{4, 12, 6, 1, 2, std::chrono::seconds(1)};

// Frames are due in a pattern of a second: changes meet it everywhere, not at a few places over and over.
constexpr Duration kPeriodSame = std::chrono::milliseconds(613);  // loads have what serving leaves over
constexpr Duration kPeriodOther = std::chrono::milliseconds(257);

Result<std::vector<Part>> run_parts(Course course, const Sizes& sizes, Progress& progress) {
  struct Way {
    const char* name;
    LoaderPlace place;
    Duration period;
    std::size_t settling;
    std::size_t switches;
    Result<Recording> (*run)(const Course&);
    bool product;
    double share;  // of all the time, about
  };
  const Way ways[] = {
      {"loads on the same core", LoaderPlace::same_core, kPeriodSame, sizes.settling, sizes.switches,
       run_product, true, 0.5},
      {"loads on another core", LoaderPlace::other_core, kPeriodOther, sizes.settling, sizes.switches,
       run_product, true, 0.25},
      {"naive", LoaderPlace::same_core, kPeriodSame, 0, sizes.naive_switches, run_naive, false, 0.1},
  };
  std::vector<Part> parts;
  double before = 0.0;
  for (const Way& way : ways) {
    course.loader = way.place;
    course.period = way.period;
    course.settling = way.settling;
    course.switches = way.switches;
    course.laps = sizes.laps;
    course.progress = [&](double share) { progress.show(way.name, before + share * way.share); };
    auto recording = way.run(course);
    if (!recording) return recording.errors();
    Part part{way.name, std::move(recording).value(), {}, way.product};
    part.figures = figures(part.recording);
    parts.push_back(std::move(part));
    before += way.share;
  }
  return parts;
}

Result<SwitchReport> run_switches(const config::LoadedConfig& scenario, SwitchReport report,
                                  const Sizes& sizes, std::ostream& err) {
  Course course;
  course.config = scenario.run;
  auto backend = runtime::make_backend(course.config.backend, course.config.graph_cache);
  if (!backend) return backend.errors();
  course.backend = std::move(backend).value();
  report.engines = course.backend->version();
  if (const Status primed = prime(course); !primed) return primed.errors();
  Progress progress(err);
  auto parts = run_parts(course, sizes, progress);
  if (!parts) return parts.errors();
  report.parts = std::move(parts).value();
  course.loader = LoaderPlace::same_core;
  course.period = sizes.stretch;
  course.progress = [&](double share) { progress.show("loads beside serving", 0.85 + 0.15 * share); };
  const auto pairs = run_beside_loads(course, sizes.pairs, sizes.stretch);
  if (!pairs) return pairs.errors();
  report.loads = figures(pairs.value());
  return report;
}

Result<SwitchReport> run_ten_minutes(const config::LoadedConfig& scenario, SwitchReport report, bool quick,
                                     std::ostream& err) {
  runtime::RunConfig config = scenario.run;
  if (quick) config.timeline.resize(std::min<std::size_t>(config.timeline.size(), 3));
  auto backend = runtime::make_backend(config.backend, config.graph_cache);
  if (!backend) return backend.errors();
  report.engines = backend.value()->version();
  Progress progress(err);
  auto run = run_long(config, std::move(backend).value(),
                      [&](double share) { progress.show(report.scenario, share); });
  if (!run) return run.errors();
  report.long_run = std::move(run).value();
  return report;
}

}  // namespace

int bench_switch(const BenchArguments& args, std::ostream& out, std::ostream& err) {
  const app::Invocation call = app::parse_command_line(spec(), args, out, err);
  if (call.exit_code()) return *call.exit_code();
  const bool ten_minutes = call.has("long");
  const bool quick = call.has("quick");
  const std::filesystem::path file =
      std::filesystem::path(call.value("scenarios").value_or("bench/scenarios")) /
      (ten_minutes ? kTenMinutes : kSwitches);
  const Result<config::LoadedConfig> scenario = config::read_config(file);
  if (!scenario) {
    app::print_errors(scenario.errors(), err);
    return app::kExitConfig;
  }
  SwitchReport report;
  report.provenance = provenance(command_of("switch", args), kSimulationSeed);
  report.scenario = file.filename().string();
  Result<SwitchReport> done =
      ten_minutes ? run_ten_minutes(scenario.value(), std::move(report), quick, err)
                  : run_switches(scenario.value(), std::move(report), quick ? kQuick : Sizes{}, err);
  if (!done) {
    app::print_errors(done.errors(), err);
    return app::kExitUnavailable;
  }
  if (call.has("json")) {
    out << to_json(done.value()).dump(2) << '\n';
  } else {
    print_tables(done.value(), out);
  }
  bool failed = false;
  const auto told = [&failed, &err](const Status& status) {
    if (status) return;
    app::print_errors(status.errors(), err);
    failed = true;
  };
  if (const auto folder = call.value("out")) told(write_files(done.value(), *folder, err));
  if (const auto docs = call.value("docs")) {
    const char* const marker = ten_minutes ? "saccade bench switch --long" : "saccade bench switch";
    told(replace_between_markers(*docs, marker, markdown(done.value())));
  }
  return failed ? app::kExitFailed : app::kExitOk;
}

}  // namespace saccade::bench
