#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <future>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/report/exit_codes.hpp"
#include "app/report/live_view.hpp"
#include "app/report/options.hpp"
#include "app/report/output.hpp"
#include "app/report/run_report.hpp"
#include "app/verbs/last_resort.hpp"
#include "app/verbs/run_log.hpp"
#include "app/verbs/run_signals.hpp"
#include "app/verbs/this_machine.hpp"
#include "app/verbs/verbs.hpp"
#include "config/config.hpp"
#include "config/providers.hpp"
#include "runtime/sources/frame_source.hpp"
#include "service/fleet/certificate_name.hpp"
#include "service/live/service_config.hpp"
#include "service/live/service_manager.hpp"
#include "service/live/service_run.hpp"
#include "text/strict_json.hpp"

namespace saccade::app {
namespace {

constexpr Duration kAfterTheTimeline = std::chrono::seconds(5);
constexpr Duration kLongestEnd = std::chrono::milliseconds(4800);  // promised: five seconds
constexpr Duration kOnce = std::chrono::hours(24 * 365);           // an interval that no run sees the end of

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
       {"start-at", "TIME", "start at this time of the timeline"},
       {"policy", "NAME", "transprecision, fair_fps, fair_time or greedy instead of the configuration's"},
       {"state-dir", "DIR",
        "keep what is changed while it runs in DIR, whatever the configuration says (docs/operation.md)"},
       {"require-sources", "",
        "exit with 69 if a source cannot be opened at the start, instead of waiting for it"},
       {"events", "FILE", "write every decision and every drop to FILE, one JSON object per line"},
       {"log-level", "LEVEL",
        "least level of the lines on standard error: trace, debug, info (the default), warning or error"},
       {"json", "", "the summary as JSON"}},
      1,
      1,
      "SIGHUP reads the configuration again: a valid one replaces what runs, an invalid one changes "
      "nothing.\n"
      "Exit codes: 0 ended in good order (a signal included), 1 the events could not be written or the "
      "end took\n"
      "too long, 69 the engine library, the state directory or a required source is unavailable, 78 bad "
      "configuration and no "
      "state to go on "
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
  LogLevel log_level = LogLevel::info;
  bool require_sources = false;
  bool json = false;
};

using Mistakes = std::vector<std::string>;

std::optional<Duration> time_of(const Invocation& call, const std::string& option, Mistakes& wrong) {
  const auto text = call.value(option);
  if (!text) return std::nullopt;
  const std::optional<Duration> time = duration_from(*text);
  if (!time) wrong.push_back("--" + option + " takes " + kDurationWords + ", not " + text::in_quotes(*text));
  return time;
}

// What the command line asks for, and what is wrong with it.
RunRequest request_of(const Invocation& call, Mistakes& wrong) {
  RunRequest request;
  request.duration = time_of(call, "duration", wrong);
  request.start_at = time_of(call, "start-at", wrong);
  request.file = call.arguments()[0];
  request.state_dir = call.value("state-dir");
  request.events = call.value("events");
  request.require_sources = call.has("require-sources");
  request.json = call.has("json");
  if (const auto name = call.value("policy")) {
    request.policy = scheduler::policy_from(*name);
    if (!request.policy) wrong.push_back("there is no policy " + text::in_quotes(*name));
  }
  if (const auto name = call.value("log-level")) {
    const std::optional<LogLevel> level = log_level_from(*name);
    if (!level)
      wrong.push_back(std::string("--log-level takes ") + kLogLevelWords + ", not " + text::in_quotes(*name));
    request.log_level = level.value_or(LogLevel::info);
  }
  return request;
}

std::optional<Duration> duration_of(const RunRequest& request, const runtime::RunConfig& config) {
  if (request.duration) return request.duration;
  if (config.timeline.size() > 1) return config.timeline.back().at + kAfterTheTimeline;
  return std::nullopt;
}

// For the service manager: READY with the first status after the first engines serve, then a sign of
// life with each.
void report_to(const service::ServiceManager& manager, const runtime::RunStatus& status, bool& ready) {
  if (status.at == Duration(0)) return;
  std::size_t served = 0;
  for (const runtime::TaskStatus& task : status.tasks) served += task.variant ? 1 : 0;
  const std::string line =
      std::to_string(served) + " of " + std::to_string(status.tasks.size()) + " tasks served";
  if (!std::exchange(ready, true)) manager.ready(line);
  manager.alive(line);
}

std::string without_quotes(const std::string& etag) { return etag.substr(1, etag.size() - 2); }

bool shows_table(const RunRequest& request, const std::ostream& out) {
  return !request.json && &out == &std::cout && isatty(STDOUT_FILENO) == 1;
}
// Log lines would tear the table.
bool writes_log(const RunRequest& request, const std::ostream& out) {
  return !shows_table(request, out) || isatty(STDERR_FILENO) == 0;
}

// What this machine lacks for a file that is good in itself.
Errors lacking_for(const std::string& file) {
  const Result<config::LoadedConfig> loaded = config::read_config(file);
  return loaded.ok() ? config::missing_providers(loaded.value().run) : Errors{};
}

// The sources that cannot be opened: each is opened and closed again, all at the same time. A signal to end
// is obeyed meanwhile.
Errors missing_sources(const runtime::RunConfig& config) {
  std::vector<std::future<Errors>> tries;
  for (std::size_t t = 0; t < config.tasks.size(); ++t) {
    if (config.tasks[t].pushed()) continue;
    const auto open = [&task = config.tasks[t], &snapshot = config.timeline.front().snapshot, t]() -> Errors {
      const profiles::ProfileSet& set = *snapshot.tasks.at(t).profiles;
      const auto source =
          runtime::open_source(task.source, task.regions, runtime::inputs_of(set), set.labels);
      return source ? Errors{} : source.errors();
    };
    tries.push_back(std::async(std::launch::async, open));
  }
  const SignalsTerminate now;  // a camera may take half a minute to fail
  Errors missing;
  for (std::future<Errors>& each : tries) {
    const Errors errors = each.get();
    missing.insert(missing.end(), errors.begin(), errors.end());
  }
  return missing;
}

// What the service starts with; null after a complaint, with the exit code for it.
std::unique_ptr<service::ServiceConfig> open_service(const RunRequest& request,
                                                     const std::filesystem::path& folder, bool log,
                                                     std::ostream& err, int& exit_code) {
  std::unique_ptr<service::StateStore> store;
  if (!folder.empty()) {
    auto opened = service::StateStore::open(folder);
    if (!opened) {
      print_errors(opened.errors(), err);
      exit_code = kExitUnavailable;
      return nullptr;
    }
    store = std::move(opened).value();
  }
  Result<service::Start> start = service::start_from(request.file, store.get());
  if (!start) {
    const Errors missing = lacking_for(request.file);
    print_errors(missing.empty() ? start.errors() : missing, err);
    exit_code = missing.empty() ? kExitConfig : kExitUnavailable;
    return nullptr;
  }
  if (const auto& fleet = start.value().config.loaded.fleet) {
    const Status certificate = service::check_client_certificate(fleet->store.certificate);
    if (!certificate) {
      print_errors(certificate.errors(), err);
      exit_code = kExitConfig;
      return nullptr;
    }
  }
  const Errors missing =
      request.require_sources ? missing_sources(start.value().config.loaded.run) : Errors{};
  if (!missing.empty()) {
    print_errors(missing, err);
    exit_code = kExitUnavailable;
    return nullptr;
  }
  print_warnings(start.value().notes, err);
  print_warnings(start.value().config.loaded.warnings, err);
  print_warnings(foreign_profiles(start.value().config.loaded, request.file), err);
  print_note_count(start.value().config.loaded.profile_notes.size(), request.file, err);
  if (store) {
    log_line(LogLevel::info, "start",
             std::string("from the ") + to_string(start.value().origin) + ", etag " +
                 without_quotes(service::etag_of(start.value().config.text)));
  }
  const auto saved = [log](std::uint64_t generation) {
    if (log) log_line(LogLevel::info, "saved", "generation " + std::to_string(generation));
  };
  return std::make_unique<service::ServiceConfig>(request.file, std::move(start).value(), std::move(store),
                                                  saved);
}

void reload(service::ServiceConfig& service, bool log) {
  const auto applied = service.reload();
  if (!log) return;
  if (!applied) return log_warnings("reload_refused", applied.errors());
  log_warnings("warning", applied.value().warnings);
  log_line(LogLevel::info, "reload",
           "generation " + std::to_string(applied.value().generation) + ", etag " +
               without_quotes(applied.value().etag));
  log_warnings("note", service.notes());
}

Errors is_another_box(const std::string& file) {
  return {{file, "another process is this box of the fleet",
           "stop it, or give this one a name of its own in `fleet.box`"}};
}

// The events of a run in a file, when one is asked for.
class EventFile {
 public:
  // False: it cannot be written.
  [[nodiscard]] bool open(const std::optional<std::string>& path) {
    path_ = path;
    if (path_) file_.open(*path_);
    return !path_ || file_.good();
  }
  [[nodiscard]] bool wanted() const { return path_.has_value(); }
  void write(Duration at, const runtime::action::Report& report) {
    if (path_) write_event(file_, at, report);
  }
  [[nodiscard]] Status finish() { return path_ ? finish_events(file_, *path_) : Status(Done{}); }

 private:
  std::optional<std::string> path_;
  std::ofstream file_;
};

// What is shown and logged while it runs.
class RunWatcher {
 public:
  RunWatcher(const RunRequest& request, std::ostream& out, EventFile& events, RunSignals& signals)
      : live_(shows_table(request, out)),
        log_(writes_log(request, out)),
        view_(out),
        events_(events),
        signals_(signals) {}

  [[nodiscard]] runtime::RunHooks hooks() {
    runtime::RunHooks hooks;
    hooks.drop_events = events_.wanted();
    hooks.event = [this](Duration at, const runtime::action::Report& report) {
      events_.write(at, report);
      if (log_ && report.event != runtime::EventKind::drop) log_event(report);
    };
    if (!live_ && !manager_.listens()) hooks.status_interval = kOnce;
    if (manager_.interval()) hooks.status_interval = std::min(hooks.status_interval, *manager_.interval());
    hooks.status = [this](const runtime::RunStatus& status) {
      signals_.take_reloads();  // the main loop runs and can answer
      if (live_) view_.show(status);
      if (manager_.listens()) report_to(manager_, status, told_ready_);
    };
    return hooks;
  }
  [[nodiscard]] bool logs() const { return log_; }
  void stopping() const { manager_.stopping(); }
  void end() { view_.clear(); }

 private:
  const bool live_;
  const bool log_;
  LiveView view_;
  EventFile& events_;
  RunSignals& signals_;
  const service::ServiceManager manager_;
  bool told_ready_ = false;
};

void print_result(const runtime::RunSummary& summary, const service::ServiceConfig& service, bool as_json,
                  std::ostream& out) {
  if (!as_json) return print_summary(summary, out);
  nlohmann::ordered_json json = to_json(summary);
  const service::ReloadCounts reloads = service.reloads();
  json["reloads"] = {{"succeeded", reloads.succeeded}, {"failed", reloads.failed}};
  out << json.dump(1) << '\n';
}

}  // namespace

int verb_run(const VerbArguments& args, std::ostream& out, std::ostream& err) {
  const Invocation call = parse_command_line(run_spec(), args, out, err);
  if (call.exit_code()) return *call.exit_code();
  Mistakes wrong;
  const RunRequest request = request_of(call, wrong);
  if (!wrong.empty()) return usage_error("run", wrong, err);

  set_log_level(request.log_level);
  RunSignals signals;  // before any thread is started
  int exit_code = kExitOk;
  const std::filesystem::path folder =
      request.state_dir ? std::filesystem::path(*request.state_dir) : service::state_dir_of(request.file);
  const std::unique_ptr<service::ServiceConfig> service =
      open_service(request, folder, writes_log(request, out), err, exit_code);
  if (!service) return exit_code;
  EventFile events;
  if (!events.open(request.events)) {
    return usage_error("run", "cannot write to " + text::in_quotes(*request.events), err);
  }
  RunWatcher watcher(request, out, events, signals);
  runtime::FoundMeter found = runtime::find_energy_meter();
  print_warnings(found.notes, err);
  service::ServiceRunOptions options;
  options.policy = request.policy;
  options.start_at = request.start_at.value_or(Duration(0));
  options.meter = std::move(found.meter);
  options.state_dir = folder;
  options.sinks = [log = watcher.logs()](const service::SinkNews& news) {
    if (log) log_sink(news);
  };
  options.certificate = [log = watcher.logs()](const Status& news) {
    if (log) log_certificate(news);
  };
  const auto run = service::ServiceRun::open(*service, watcher.hooks(), std::move(options));
  if (!run) {
    print_errors(run.errors(), err);
    return kExitUnavailable;
  }
  service::ServiceRun& served = *run.value();
  if (served.address() && watcher.logs()) {
    log_line(LogLevel::info, "serving", *served.address());
  }
  LastResort last_resort(kLongestEnd, kExitFailed);
  const auto stop = [&] {
    last_resort.arm();
    watcher.stopping();
    served.stop();
  };
  signals.watch(stop, [&] { reload(*service, watcher.logs()); });
  const runtime::RunSummary summary = served.run(duration_of(request, served.begun_with()));
  signals.stop_watching();
  watcher.end();
  print_result(summary, *service, request.json, out);
  const Status written = events.finish();
  if (!written) print_errors(written.errors(), err);
  if (served.has_conflict()) return fail(is_another_box(request.file), kExitUnavailable, err);
  return written ? kExitOk : kExitFailed;
}

}  // namespace saccade::app
