#include <algorithm>
#include <array>
#include <filesystem>
#include <ostream>
#include <string_view>

#include "app/report/exit_codes.hpp"
#include "app/report/options.hpp"
#include "app/report/output.hpp"
#include "bench/bench.hpp"
#include "bench/service/report.hpp"
#include "config/config.hpp"
#include "runtime/engines/engine.hpp"
#include "runtime/machine/thread_settings.hpp"
#include "text/strict_json.hpp"

namespace saccade::bench {
namespace {

constexpr const char* kScenario = "service.json";
constexpr const char* kInferScenario = "infer.json";

const app::CommandSpec& spec() {
  static const app::CommandSpec spec{
      "bench service",
      "[attack | patches | status | infer]",
      "The HTTP API of a service with real engines at full demand: under a hundred thousand hostile "
      "requests\n"
      "beside the same without them, under a thousand changes a minute, and asked for its status 200 times "
      "a\n"
      "second; then one with an engine that takes no time, which is sent 640 frames a second. Without a "
      "name\n"
      "all four. docs/benchmarks.md tells how each figure is taken.",
      {{"scenarios", "DIR", "where service.json and infer.json are (default: bench/scenarios)"},
       {"seed", "N", "of the hostile requests and of the changes (default: 1)"},
       {"out", "DIR", "write service.json and service.csv there"},
       {"docs", "FILE", "write the tables between the markers of this Markdown file"},
       {"json", "", "JSON instead of tables"},
       {"quick", "", "a few seconds of each: does it work, not how well"}},
      0,
      1,
      "A figure that falls short is no failure. Let the machine be idle. Exit codes: 1 a file could not be\n"
      "written, 69 the service or the engine library is not there, 78 a bad scenario."};
  return spec;
}

struct Sizes {
  AttackSizes attack;
  PatchSizes patches;
  StatusSizes status;
  InferSizes infer;
};
constexpr Sizes kQuick{{1, std::chrono::seconds(3), 2000},
                       {1000.0, std::chrono::seconds(4)},
                       {200.0, std::chrono::seconds(3)},
                       {16, 640.0, 20.0, std::chrono::seconds(3)}};

ServiceScenario scenario_of(const std::filesystem::path& file, const runtime::RunConfig& config) {
  ServiceScenario scenario;
  scenario.file = file;
  for (const scheduler::Task& task : config.timeline.front().snapshot.tasks) {
    scenario.tasks.push_back(task.id.str());
    scenario.rates.push_back(task.demand.value());
  }
  std::vector<int> serving;
  for (const runtime::ProcessorConfig& processor : config.processors) {
    serving.insert(serving.end(), processor.cpus.begin(), processor.cpus.end());
  }
  scenario.client_cpus = runtime::other_cpus(runtime::allowed_cpus(), serving);
  return scenario;
}

struct Scenarios {
  ServiceScenario cameras;
  ServiceScenario pushed;
};

// Runs `experiment` if it is wanted.
template <class Figures, class Experiment>
Status run_if(bool wanted, std::optional<Figures>& figures, const Experiment& experiment) {
  if (!wanted) return Done{};
  Result<Figures> result = experiment();
  if (!result) return result.errors();
  figures = std::move(result).value();
  return Done{};
}

Status run_experiments(Scenarios scenarios, const std::string& name, const Sizes& sizes,
                       ServiceReport& report, std::ostream& err) {
  Progress progress(err);
  ServiceScenario& scenario = scenarios.cameras;
  const auto told_as = [&](const std::string& what) {
    scenario.progress = [&progress, what](double share) { progress.show(what, share); };
    scenarios.pushed.progress = scenario.progress;
    return name.empty() || name == what;
  };
  Status done = run_if(told_as("attack"), report.attack, [&] { return run_attack(scenario, sizes.attack); });
  if (!done) return done;
  done = run_if(told_as("patches"), report.patches, [&] { return run_patches(scenario, sizes.patches); });
  if (!done) return done;
  done = run_if(told_as("status"), report.status, [&] { return run_status(scenario, sizes.status); });
  if (!done) return done;
  return run_if(told_as("infer"), report.infer, [&] { return run_infer(scenarios.pushed, sizes.infer); });
}

}  // namespace

int bench_service(const BenchArguments& args, std::ostream& out, std::ostream& err) {
  const app::Invocation call = app::parse_command_line(spec(), args, out, err);
  if (call.exit_code()) return *call.exit_code();
  const std::string name = call.arguments().empty() ? "" : call.arguments()[0];
  const std::array<std::string_view, 5> names = {"", "attack", "patches", "status", "infer"};
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    return app::usage_error("bench service", "there is no experiment " + text::in_quotes(name), err);
  }
  const std::string seed = call.value("seed").value_or("1");
  if (seed.empty() || seed.size() > 18 || seed.find_first_not_of("0123456789") != std::string::npos) {
    return app::usage_error("bench service", "--seed takes a whole number, not " + text::in_quotes(seed),
                            err);
  }
  const std::filesystem::path folder = call.value("scenarios").value_or("bench/scenarios");
  const std::filesystem::path file = folder / kScenario;
  const Result<config::LoadedConfig> config = config::read_config(file);
  const Result<config::LoadedConfig> pushed = config::read_config(folder / kInferScenario);
  for (const Result<config::LoadedConfig>* read : {&config, &pushed}) {
    if (*read) continue;
    app::print_errors(read->errors(), err);
    return app::kExitConfig;
  }
  const runtime::RunConfig& run = config.value().run;
  const auto backend = runtime::make_backend(run.backend, run.graph_cache, run.engine_library);
  if (!backend) return app::fail(backend.errors(), app::kExitUnavailable, err);
  Scenarios scenarios{scenario_of(file, config.value().run),
                      scenario_of(folder / kInferScenario, pushed.value().run)};
  scenarios.cameras.seed = std::stoull(seed);
  ServiceReport report{provenance(command_of("service", args), scenarios.cameras.seed),
                       file.filename().string(),
                       backend.value()->version(),
                       {},
                       {},
                       {},
                       {}};
  const Status done =
      run_experiments(std::move(scenarios), name, call.has("quick") ? kQuick : Sizes{}, report, err);
  if (!done) {
    app::print_errors(done.errors(), err);
    return app::kExitFailed;
  }
  if (call.has("json")) {
    out << to_json(report).dump(2) << '\n';
  } else {
    print_tables(report, out);
  }
  bool failed = false;
  const auto told = [&failed, &err](const Status& status) {
    if (status) return;
    app::print_errors(status.errors(), err);
    failed = true;
  };
  if (const auto out_folder = call.value("out")) told(write_files(report, *out_folder));
  if (const auto docs = call.value("docs")) {
    told(replace_between_markers(*docs, "saccade bench service", markdown(report)));
  }
  return failed ? app::kExitFailed : app::kExitOk;
}

}  // namespace saccade::bench
