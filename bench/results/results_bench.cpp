#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <ostream>

#include "app/report/exit_codes.hpp"
#include "app/report/options.hpp"
#include "app/report/output.hpp"
#include "bench/bench.hpp"
#include "bench/results/report.hpp"
#include "config/config.hpp"
#include "runtime/engines/engine.hpp"
#include "runtime/machine/thread_settings.hpp"
#include "text/strict_json.hpp"

namespace saccade::bench {
namespace {

const app::CommandSpec& results_spec() {
  static const app::CommandSpec spec{
      "bench results",
      "[hand-over | rules | subscriber | outages]",
      "What results cost: the time of a worker's hand-over with every kind of sink and with rules, how old\n"
      "results are at an MQTT subscriber, and a service at 200 results a second with and without a sink\n"
      "whose broker is killed, stopped, absent or refuses, whose receiver hangs, fails or drips, or whose\n"
      "disk is full. Without a name all. docs/benchmarks.md tells how each figure is taken.",
      {{"scenarios", "DIR", "where results.json is (default: bench/scenarios)"},
       {"seconds", "S", "of each hand-over and of each run of the service (default: 60)"},
       {"pairs", "N", "runs with and without the sink, for each outage (default: 5)"},
       {"outage", "NAME,NAME", "only these: killed, stopped, absent, refusing, hangs, fails, drips, full"},
       {"long", "", "ten minutes for each run of the service, unless --seconds says otherwise"},
       {"out", "DIR", "write results.json and results.csv there"},
       {"docs", "FILE", "write the tables between the markers of this Markdown file"},
       {"json", "", "JSON instead of tables"}},
      0,
      1,
      "A figure that falls short is no failure. Let the machine be idle. Needs mosquitto and mosquitto_sub.\n"
      "Exit codes: 1 a file could not be written or there is no broker, 69 the engine library is not there,\n"
      "78 a bad scenario."};
  return spec;
}

// Of an option that is a whole number; absent: it is none, or out of range.
std::optional<int> whole(const app::Invocation& call, const std::string& name, int otherwise, int most) {
  const std::optional<std::string> text = call.value(name);
  if (!text) return otherwise;
  int value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  const bool good = error == std::errc() && end == text->data() + text->size() && value >= 1 && value <= most;
  return good ? std::optional(value) : std::nullopt;
}

ResultsScenario results_scenario(const std::filesystem::path& file, const config::LoadedConfig& config) {
  ResultsScenario scenario;
  scenario.file = file;
  scenario.run = config.run;
  scenario.node = config.results.node;
  for (const runtime::ProcessorConfig& processor : config.run.processors) {
    scenario.serving_cpus.insert(scenario.serving_cpus.end(), processor.cpus.begin(), processor.cpus.end());
  }
  scenario.client_cpus = runtime::other_cpus(runtime::allowed_cpus(), scenario.serving_cpus);
  return scenario;
}

// Absent: one of the names is none.
std::optional<std::vector<std::string>> outages_in(const std::string& list) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    names.push_back(list.substr(begin, end - begin));
    if (std::find(kOutages.begin(), kOutages.end(), names.back()) == kOutages.end()) return std::nullopt;
    begin = end + 1;
  }
  return names;
}

Status run_all(ResultsScenario scenario, const std::string& name, Duration hand_over,
               const OutageSizes& sizes, ResultsReport& report, std::ostream& err) {
  Progress progress(err);
  if (name.empty() || name == "hand-over") {
    scenario.progress = [&](double share) { progress.show("hand-over", share); };
    auto figures = run_hand_over(scenario, {.each = hand_over});
    if (!figures) return figures.errors();
    report.hand_over = std::move(figures).value();
  }
  if (name.empty() || name == "rules") {
    scenario.progress = [&](double share) { progress.show("rules", share); };
    auto figures = run_rules(scenario, {.each = hand_over});
    if (!figures) return figures.errors();
    report.rules = std::move(figures).value();
  }
  if (name.empty() || name == "subscriber") {
    scenario.progress = [&](double share) { progress.show("subscriber", share); };
    auto figures = run_arrivals(scenario, sizes.stretch);
    if (!figures) return figures.errors();
    report.arrivals = std::move(figures).value();
  }
  if (name.empty() || name == "outages") {
    scenario.progress = [&](double share) { progress.show("outages", share); };
    auto figures = run_outages(scenario, sizes);
    if (!figures) return figures.errors();
    report.outages = std::move(figures).value();
  }
  return Done{};
}

int tell(const ResultsReport& report, const app::Invocation& call, std::ostream& out, std::ostream& err) {
  if (call.has("json")) {
    out << to_json(report).dump(2) << '\n';
  } else {
    print_tables(report, out);
  }
  Errors errors;
  const auto note = [&](const Status& status) {
    if (!status) errors.insert(errors.end(), status.errors().begin(), status.errors().end());
  };
  if (const auto folder = call.value("out")) note(write_files(report, *folder));
  if (const auto docs = call.value("docs")) {
    note(replace_between_markers(*docs, "saccade bench results", markdown(report)));
  }
  app::print_errors(errors, err);
  return errors.empty() ? app::kExitOk : app::kExitFailed;
}

}  // namespace

int bench_results(const BenchArguments& args, std::ostream& out, std::ostream& err) {
  const app::Invocation call = app::parse_command_line(results_spec(), args, out, err);
  if (call.exit_code()) return *call.exit_code();
  const std::string name = call.arguments().empty() ? "" : call.arguments()[0];
  constexpr std::array kNames = {"", "hand-over", "rules", "subscriber", "outages"};
  if (std::find(kNames.begin(), kNames.end(), name) == kNames.end()) {
    return app::usage_error("bench results", "there is no experiment " + text::in_quotes(name), err);
  }
  constexpr int kUsual = 60;
  constexpr int kLong = 600;
  const std::optional<int> seconds = whole(call, "seconds", kUsual, 3600);
  const std::optional<int> pairs = whole(call, "pairs", 5, 100);
  if (!seconds) return app::usage_error("bench results", "--seconds takes a whole number, 1 to 3600", err);
  if (!pairs) return app::usage_error("bench results", "--pairs takes a whole number, 1 to 100", err);
  OutageSizes sizes;
  if (const auto list = call.value("outage")) {
    const auto names = outages_in(*list);
    if (!names) return app::usage_error("bench results", "there is no outage " + text::in_quotes(*list), err);
    sizes.outages = *names;
  }
  sizes.pairs = static_cast<std::size_t>(*pairs);
  sizes.stretch = std::chrono::seconds(call.has("long") && !call.value("seconds") ? kLong : *seconds);
  const std::filesystem::path file =
      std::filesystem::path(call.value("scenarios").value_or("bench/scenarios")) / "results.json";
  const Result<config::LoadedConfig> config = config::read_config(file);
  if (!config) {
    app::print_errors(config.errors(), err);
    return app::kExitConfig;
  }
  const runtime::RunConfig& run = config.value().run;
  const auto backend = runtime::make_backend(run.backend, run.graph_cache, run.engine_library);
  if (!backend) {
    app::print_errors(backend.errors(), err);
    return app::kExitUnavailable;
  }
  constexpr std::uint64_t kSeed = 1;  // of the scenario's sources; nothing else is drawn
  ResultsReport report{provenance(command_of("results", args), kSeed),
                       file.filename().string(),
                       backend.value()->version(),
                       {},
                       {},
                       {},
                       {}};
  const Status done = run_all(results_scenario(file, config.value()), name, std::chrono::seconds(*seconds),
                              sizes, report, err);
  if (!done) {
    app::print_errors(done.errors(), err);
    return app::kExitFailed;
  }
  return tell(report, call, out, err);
}

}  // namespace saccade::bench
