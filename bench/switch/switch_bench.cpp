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
       {"sweep", "", "instead: the product and the naive way at guards from 0.45 to 0.05 and at \"auto\""},
       {"guard", "GUARD", "with --sweep: at this one alone, such as 0.05 or auto"},
       {"scenarios", "DIR", "where switches.json and ten-minutes.json are (default: bench/scenarios)"},
       {"out", "DIR",
        "write switch.json, switch.csv and a chart there (--long: switch-long.json;\n--sweep: "
        "switch-sweep.json and .csv)"},
       {"docs", "FILE", "write the tables between the markers of this Markdown file"},
       {"json", "", "JSON instead of tables"},
       {"switches", "N",
        "measure so many (default: 1000; with --sweep at every guard 350), at most 150 of the naive way"},
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
  std::size_t sweep_settling = 25;
  std::size_t sweep_switches = 350;  // at each guard: 25,000 frames beside changes, as many beside none
  // Where plans change less often: 64,000 frames at the scenario's rates.
  Duration sweep_longest = std::chrono::minutes(6);
  Duration stretch = std::chrono::seconds(6);
};
constexpr Sizes kQuick{4, 12, 6, 1, 2, 2, 4, std::chrono::seconds(20), std::chrono::seconds(1)};

// Absent: auto, from where the configuration's word starts.
const std::optional<Seconds> kGuards[] = {Seconds(0.45), Seconds(0.35), Seconds(0.20),
                                          Seconds(0.10), Seconds(0.05), std::nullopt};

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
    bool product;
    double share;  // of all the time, about
  };
  const Way ways[] = {
      {"loads on the same core", LoaderPlace::same_core, kPeriodSame, sizes.settling, sizes.switches, true,
       0.5},
      {"loads on another core", LoaderPlace::other_core, kPeriodOther, sizes.settling, sizes.switches, true,
       0.25},
      {"naive", LoaderPlace::same_core, kPeriodSame, 0, sizes.naive_switches, false, 0.1},
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
    auto recording = way.product ? run_product(course) : run_naive(course, parts.front().recording);
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
  auto backend =
      runtime::make_backend(course.config.backend, course.config.graph_cache, course.config.engine_library);
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

void set_guard(runtime::RunConfig& config, const std::optional<Seconds>& guard) {
  config.processors.front().auto_guard.reset();
  if (!guard) config.processors.front().auto_guard.emplace();
  for (runtime::TimelineState& state : config.timeline) {
    state.snapshot.processors.front().guard = guard.value_or(scheduler::Processor{}.guard);
  }
}

std::string name_of(const std::optional<Seconds>& guard) { return guard ? fixed(guard->value()) : "auto"; }

// Those that are asked for; empty: there is no such guard.
std::vector<std::optional<Seconds>> guards_of(const app::Invocation& call) {
  std::vector<std::optional<Seconds>> guards(std::begin(kGuards), std::end(kGuards));
  if (const auto one = call.value("guard")) {
    std::erase_if(guards, [&](const std::optional<Seconds>& guard) { return name_of(guard) != *one; });
  }
  return guards;
}

// One at least, so that the naive way ends where the product had none.
std::size_t measured_switches(const Recording& recording) {
  const auto held = std::count_if(recording.exchanges.begin(), recording.exchanges.end(),
                                  [&](const Exchange& each) { return recording.measured.holds(each.at); });
  return std::max<std::size_t>(1, static_cast<std::size_t>(held));
}

// The same changes at every guard, so at every load: the product and the naive way in turn, loads on the core
// that serves.
Result<SwitchReport> run_sweep(const config::LoadedConfig& scenario, SwitchReport report, const Sizes& sizes,
                               const std::vector<std::optional<Seconds>>& guards, std::ostream& err) {
  Course course;
  course.config = scenario.run;
  auto backend =
      runtime::make_backend(course.config.backend, course.config.graph_cache, course.config.engine_library);
  if (!backend) return backend.errors();
  course.backend = std::move(backend).value();
  report.engines = course.backend->version();
  course.loader = LoaderPlace::same_core;
  course.period = kPeriodSame;
  course.laps = sizes.laps;
  course.longest = sizes.sweep_longest;
  Progress progress(err);
  double before = 0.0;
  for (const std::optional<Seconds>& guard : guards) {
    set_guard(course.config, guard);
    if (const Status primed = prime(course); !primed) return primed.errors();
    for (const bool product : {true, false}) {
      const std::string name = "guard " + name_of(guard) + (product ? "" : ", naive");
      const double share = (product ? 0.7 : 0.3) / static_cast<double>(guards.size());
      course.settling = product ? sizes.sweep_settling : 0;
      course.switches = product ? sizes.sweep_switches : measured_switches(report.parts.back().recording);
      course.progress = [&](double done) { progress.show(name, before + done * share); };
      auto recording = product ? run_product(course) : run_naive(course, report.parts.back().recording);
      if (!recording) return recording.errors();
      Part part{name, std::move(recording).value(), {}, product};
      part.figures = figures(part.recording);
      report.parts.push_back(std::move(part));
      before += share;
    }
  }
  return report;
}

Result<SwitchReport> run_ten_minutes(const config::LoadedConfig& scenario, SwitchReport report, bool quick,
                                     std::ostream& err) {
  runtime::RunConfig config = scenario.run;
  if (quick) config.timeline.resize(std::min<std::size_t>(config.timeline.size(), 3));
  auto backend = runtime::make_backend(config.backend, config.graph_cache, config.engine_library);
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
  const bool sweep = call.has("sweep");
  const bool quick = call.has("quick");
  if (ten_minutes && sweep) return app::usage_error("bench switch", "either --long or --sweep", err);
  const auto guards = guards_of(call);
  if (guards.empty() || (call.has("guard") && !sweep)) {
    return app::usage_error("bench switch", "--guard goes with --sweep: 0.45, 0.35, 0.20, 0.10, 0.05 or auto",
                            err);
  }
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
  report.kind = ten_minutes ? "switch --long" : sweep ? "switch --sweep" : "switch";
  Sizes sizes = quick ? kQuick : Sizes{};
  if (const auto switches = call.value("switches")) {
    const auto number = app::whole_number_from(*switches);
    if (!number || *number == 0 || ten_minutes)
      return app::usage_error("bench switch", "--switches needs a number, and no --long", err);
    sizes.switches = sizes.sweep_switches = *number;
    sizes.settling = std::min<std::size_t>(sizes.settling, *number / 20);
    sizes.sweep_settling = std::min<std::size_t>(sizes.sweep_settling, *number / 14);
    sizes.naive_switches = std::min<std::size_t>(sizes.naive_switches, *number);
  }
  Result<SwitchReport> done = ten_minutes ? run_ten_minutes(scenario.value(), std::move(report), quick, err)
                              : sweep     ? run_sweep(scenario.value(), std::move(report), sizes, guards, err)
                                          : run_switches(scenario.value(), std::move(report), sizes, err);
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
    told(replace_between_markers(*docs, "saccade bench " + done.value().kind, markdown(done.value())));
  }
  return failed ? app::kExitFailed : app::kExitOk;
}

}  // namespace saccade::bench
