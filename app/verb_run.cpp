#include <spdlog/spdlog.h>
#include <unistd.h>

#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/api_session.hpp"
#include "app/config.hpp"
#include "app/exit_codes.hpp"
#include "app/live_view.hpp"
#include "app/options.hpp"
#include "app/output.hpp"
#include "app/run_report.hpp"
#include "app/run_signals.hpp"
#include "app/service_config.hpp"
#include "app/service_manager.hpp"
#include "app/solvers.hpp"
#include "app/verbs.hpp"
#include "profiles/strict_json.hpp"
#include "runtime/real_shell.hpp"

namespace saccade::app {
namespace {

constexpr Duration kAfterTheTimeline = std::chrono::seconds(5);
constexpr Duration kOnce = std::chrono::hours(24 * 365);  // an interval that no run sees the end of

const CommandSpec& run_spec() {
  static const CommandSpec spec{
      "run",
      "CONFIG",
      "Serves the tasks of the configuration: plans, loads and switches engines, and reports what was\n"
      "achieved. On a terminal a live table shows what happens.",
      {{"duration", "TIME",
        "how long, as in 90, 90s, 5m, 24h (default: five seconds beyond the timeline's last entry; without a "
        "timeline until\n"
        "SIGINT or SIGTERM)"},
       {"start-at", "TIME", "begin at this moment of the timeline"},
       {"policy", "NAME", "transprecision, fair_fps, fair_time or greedy instead of the configuration's"},
       {"state-dir", "DIR",
        "keep what is changed while it runs in DIR, whatever the configuration says (docs/operation.md)"},
       {"events", "FILE", "write every decision and every drop to FILE, one JSON object per line"},
       {"json", "", "the summary as JSON"}},
      1,
      1,
      "SIGHUP reads the configuration again: a valid one replaces what runs, an invalid one changes "
      "nothing.\n"
      "Exit codes: 0 ended in good order (a signal included), 1 the events could not be written, 69 a "
      "source,\n"
      "the engine library or the state directory is not there, 78 bad configuration and no state to go on "
      "with."};
  return spec;
}

struct RunRequest {
  std::string file;
  std::optional<std::string> state_dir;
  std::optional<Duration> duration;
  std::optional<Duration> start_at;
  std::optional<scheduler::PolicyKind> policy;
  std::optional<std::string> events;
  bool json = false;
};

// Time of an option; complains and sets `wrong` when it is none.
std::optional<Duration> time_of(const Invocation& call, const std::string& option, std::string& wrong) {
  const auto text = call.value(option);
  if (!text) return std::nullopt;
  const std::optional<Duration> time = duration_from(*text);
  if (!time) wrong = "--" + option + " takes " + kDurationWords + ", not " + profiles::in_quotes(*text);
  return time;
}

// What the command line asks for; `wrong` says what is wrong with it.
RunRequest request_of(const Invocation& call, std::string& wrong) {
  RunRequest request;
  request.duration = time_of(call, "duration", wrong);
  request.start_at = time_of(call, "start-at", wrong);
  request.file = call.arguments()[0];
  request.state_dir = call.value("state-dir");
  request.events = call.value("events");
  request.json = call.has("json");
  if (const auto name = call.value("policy")) {
    request.policy = scheduler::policy_from(*name);
    if (!request.policy) wrong = "there is no policy " + profiles::in_quotes(*name);
  }
  return request;
}

// The timeline as it looks from `start`: what holds then comes first, at 0.
void start_timeline_at(Duration start, std::vector<runtime::TimelineState>& timeline) {
  while (timeline.size() > 1 && timeline[1].at <= start) timeline.erase(timeline.begin());
  for (runtime::TimelineState& state : timeline) state.at = std::max(state.at - start, Duration(0));
}

std::optional<Duration> duration_of(const RunRequest& request, const runtime::RunConfig& config) {
  if (request.duration) return request.duration;
  if (config.timeline.size() > 1) return config.timeline.back().at + kAfterTheTimeline;
  return std::nullopt;
}

// For the service manager: READY with the first status after the first engines serve, then a sign of
// life with each.
void report_to(const ServiceManager& manager, const runtime::RunStatus& status, bool& ready) {
  if (status.at == Duration(0)) return;
  std::size_t served = 0;
  for (const runtime::TaskStatus& task : status.tasks) served += task.variant ? 1 : 0;
  const std::string line =
      std::to_string(served) + " of " + std::to_string(status.tasks.size()) + " tasks served";
  if (!std::exchange(ready, true)) manager.ready(line);
  manager.alive(line);
}

// One line for people: event=swap task=gate detail="w0.50-int8"
void log_event(const runtime::action::Report& report) {
  const bool trouble = report.event == "fault" || report.event == "exclude" || report.event == "infeasible";
  spdlog::log(trouble ? spdlog::level::warn : spdlog::level::info, "event={} task={} detail=\"{}\"",
              report.event, report.task.empty() ? "-" : report.task, report.detail);
}

std::string without_quotes(const std::string& etag) { return etag.substr(1, etag.size() - 2); }

// What the service starts with; null after a complaint, with the exit code for it.
std::unique_ptr<ServiceConfig> open_service(const RunRequest& request, std::ostream& err, int& exit_code) {
  std::unique_ptr<StateStore> store;
  const std::filesystem::path folder =
      request.state_dir ? std::filesystem::path(*request.state_dir) : state_dir_of(request.file);
  if (!folder.empty()) {
    auto opened = StateStore::open(folder);
    if (!opened) {
      print_errors(opened.errors(), err);
      exit_code = kExitUnavailable;
      return nullptr;
    }
    store = std::move(opened).value();
  }
  Result<Start> start = start_from(request.file, store.get());
  if (!start) {
    print_errors(start.errors(), err);
    exit_code = kExitConfig;
    return nullptr;
  }
  print_warnings(start.value().notes, err);
  print_warnings(start.value().config.loaded.warnings, err);
  if (store) {
    spdlog::info("event=start task=- detail=\"from the {}, etag {}\"", to_string(start.value().origin),
                 without_quotes(etag_of(start.value().config.text)));
  }
  return std::make_unique<ServiceConfig>(request.file, std::move(start).value(), std::move(store));
}

void reload(ServiceConfig& service, bool log) {
  const Result<ServiceConfig::Applied> applied = service.reload();
  if (!log) return;
  if (!applied) {
    for (const Error& error : applied.errors()) {
      spdlog::warn("event=reload_refused task=- detail=\"{}\"", to_string(error));
    }
    return;
  }
  for (const Error& warning : applied.value().warnings) {
    spdlog::warn("event=warning task=- detail=\"{}\"", to_string(warning));
  }
  spdlog::info("event=reload task=- detail=\"generation {}, etag {}\"", applied.value().generation,
               without_quotes(applied.value().etag));
  for (const Error& note : service.notes()) spdlog::warn("event=note task=- detail=\"{}\"", to_string(note));
}

nlohmann::ordered_json to_json(const ReloadCounts& reloads) {
  return {{"succeeded", reloads.succeeded}, {"failed", reloads.failed}};
}

}  // namespace

int verb_run(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  const Invocation call = parse_command_line(run_spec(), args, out, err);
  if (call.exit_code()) return *call.exit_code();
  std::string wrong;
  const RunRequest request = request_of(call, wrong);
  if (!wrong.empty()) return usage_error("run", wrong, err);

  RunSignals signals;  // before any thread is started
  int exit_code = kExitOk;
  const std::unique_ptr<ServiceConfig> service = open_service(request, err, exit_code);
  if (!service) return exit_code;
  runtime::RunConfig config;
  std::optional<ApiConfig> api;
  service->look([&](const LiveConfig& live, Duration) {
    config = live.loaded().run;
    api = live.loaded().api;
  });
  if (request.start_at) start_timeline_at(*request.start_at, config.timeline);

  std::ofstream events;
  if (request.events) {
    events.open(*request.events);
    if (!events) return usage_error("run", "cannot write to " + profiles::in_quotes(*request.events), err);
  }
  auto backend = runtime::make_backend(config.backend, config.graph_cache);
  if (!backend) {
    print_errors(backend.errors(), err);
    return kExitUnavailable;
  }
  const std::unique_ptr<ilp::ChoiceSolver> solver = make_solver(config.solver);
  const scheduler::PolicyKind kind = request.policy.value_or(config.policy);
  const auto policy = scheduler::make_policy(kind, *solver);

  const bool live = !request.json && &out == &std::cout && isatty(STDOUT_FILENO) == 1;
  const bool log = !live || isatty(STDERR_FILENO) == 0;  // log lines would tear the table
  LiveView view(out);
  runtime::RunHooks hooks;
  hooks.drop_events = request.events.has_value();
  hooks.event = [&](Duration at, const runtime::action::Report& report) {
    if (request.events) write_event(events, at, report);
    if (log && report.event != "drop") log_event(report);
  };
  const ServiceManager manager;
  bool told_ready = false;
  if (!live && !manager.listens()) hooks.status_interval = kOnce;
  if (manager.interval()) hooks.status_interval = std::min(hooks.status_interval, *manager.interval());
  hooks.status = [&](const runtime::RunStatus& status) {
    signals.take_reloads();  // the main loop runs and can answer
    if (live) view.show(status);
    if (manager.listens()) report_to(manager, status, told_ready);
  };

  runtime::FoundMeter found = runtime::find_energy_meter();
  print_warnings(found.notes, err);
  const std::optional<Duration> duration = duration_of(request, config);
  std::optional<ApiSession> session;
  if (api) {
    session.emplace(*service, *policy, kind);
    hooks = session->hooks(std::move(hooks));
  }
  auto shell =
      runtime::RealShell::open(config, std::move(backend).value(), session ? session->policy() : *policy,
                               std::move(hooks), runtime::open_source, std::move(found.meter));
  if (!shell) {
    print_errors(shell.errors(), err);
    return kExitUnavailable;
  }
  if (session) {
    const Result<std::string> address = session->serve(*api, config, *shell.value());
    if (!address) {
      print_errors(address.errors(), err);
      return kExitUnavailable;
    }
    if (log) spdlog::info("event=serving task=- detail=\"{}\"", address.value());
  }
  // From now on it counts as a configuration that runs, and changes are taken.
  const Duration offset = request.start_at.value_or(Duration(0));
  service->attach(RunSeam{[&](runtime::RunConfig wanted) {
                            if (request.start_at) start_timeline_at(offset, wanted.timeline);
                            return shell.value()->reconfigure(std::move(wanted));
                          },
                          [&] { return shell.value()->status().at + offset; }});
  const auto stop = [&] {
    manager.stopping();
    shell.value()->stop();
  };
  signals.watch(stop, [&] { reload(*service, log); });
  const runtime::RunSummary summary = shell.value()->run(duration);
  signals.stop_watching();
  if (session) session->end();  // before the run goes
  view.clear();
  if (request.json) {
    nlohmann::ordered_json json = to_json(summary);
    json["reloads"] = to_json(service->reloads());
    out << json.dump(1) << '\n';
  } else {
    print_summary(summary, out);
  }
  if (request.events) {
    const Status written = finish_events(events, *request.events);
    if (!written) {
      print_errors(written.errors(), err);
      return kExitFailed;
    }
  }
  return kExitOk;
}

}  // namespace saccade::app
