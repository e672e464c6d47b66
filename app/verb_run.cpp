#include <spdlog/spdlog.h>
#include <unistd.h>

#include <fstream>
#include <iostream>
#include <memory>

#include "app/config.hpp"
#include "app/exit_codes.hpp"
#include "app/live_view.hpp"
#include "app/options.hpp"
#include "app/output.hpp"
#include "app/run_report.hpp"
#include "app/service_manager.hpp"
#include "app/solvers.hpp"
#include "app/stop_signals.hpp"
#include "app/verbs.hpp"
#include "profiles/strict_json.hpp"
#include "runtime/real_shell.hpp"

namespace saccade::app {
namespace {

constexpr Duration kAfterTheTimeline = std::chrono::seconds(5);

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
       {"events", "FILE", "write every decision and every drop to FILE, one JSON object per line"},
       {"json", "", "the summary as JSON"}},
      1,
      1,
      "Exit codes: 0 ended in good order (a signal included), 1 the events could not be written, 69 a "
      "source\n"
      "or the engine library is not there, 78 bad configuration."};
  return spec;
}

struct RunRequest {
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

}  // namespace

int verb_run(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  const Invocation call = parse_command_line(run_spec(), args, out, err);
  if (call.exit_code()) return *call.exit_code();
  std::string wrong;
  const RunRequest request = request_of(call, wrong);
  if (!wrong.empty()) return usage_error("run", wrong, err);

  Result<LoadedConfig> loaded = read_config(call.arguments()[0]);
  if (!loaded) {
    print_errors(loaded.errors(), err);
    return kExitConfig;
  }
  if (!loaded.value().plan_only.empty()) {
    print_errors(loaded.value().plan_only, err);
    return kExitConfig;
  }
  print_warnings(loaded.value().warnings, err);
  runtime::RunConfig config = std::move(loaded).value().run;
  if (request.start_at) start_timeline_at(*request.start_at, config.timeline);

  std::ofstream events;
  if (request.events) {
    events.open(*request.events);
    if (!events) return usage_error("run", "cannot write to " + profiles::in_quotes(*request.events), err);
  }
  StopSignals signals;  // before any thread is started
  auto backend = runtime::make_backend(config.backend, config.graph_cache);
  if (!backend) {
    print_errors(backend.errors(), err);
    return kExitUnavailable;
  }
  const std::unique_ptr<ilp::ChoiceSolver> solver = make_solver(config.solver);
  const auto policy = scheduler::make_policy(request.policy.value_or(config.policy), *solver);

  const bool live = !request.json && &out == &std::cout && isatty(STDOUT_FILENO) == 1;
  const bool log = !live || isatty(STDERR_FILENO) == 0;  // log lines would tear the table
  LiveView view(config, out);
  runtime::RunHooks hooks;
  hooks.drop_events = request.events.has_value();
  hooks.event = [&](Duration at, const runtime::action::Report& report) {
    if (request.events) write_event(events, at, report);
    if (log && report.event != "drop") log_event(report);
  };
  const ServiceManager manager;
  bool told_ready = false;
  if (manager.interval()) hooks.status_interval = std::min(hooks.status_interval, *manager.interval());
  if (live || manager.listens()) {
    hooks.status = [&](const runtime::RunStatus& status) {
      if (live) view.show(status);
      if (manager.listens()) report_to(manager, status, told_ready);
    };
  }

  const std::optional<Duration> duration = duration_of(request, config);
  auto shell = runtime::RealShell::open(config, std::move(backend).value(), *policy, std::move(hooks));
  if (!shell) {
    print_errors(shell.errors(), err);
    return kExitUnavailable;
  }
  signals.watch([&] {
    manager.stopping();
    shell.value()->stop();
  });
  const runtime::RunSummary summary = shell.value()->run(duration);
  signals.stop_watching();
  view.clear();
  if (request.json) {
    out << to_json(summary).dump(1) << '\n';
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
