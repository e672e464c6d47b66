#include "service/live/service_run.hpp"

#include <algorithm>
#include <utility>

#include "config/providers.hpp"
#include "service/live/task_control.hpp"

namespace saccade::service {
namespace {

// How long a change that serves may wait to be saved.
constexpr Duration kSaveInterval = std::chrono::milliseconds(250);
// How long what is new of tasks, sinks and rules may wait to be told.
constexpr Duration kNewsInterval = std::chrono::milliseconds(250);

// The timeline as it looks from `start`: what holds then comes first, at 0.
void start_timeline_at(Duration start, std::vector<runtime::TimelineState>& timeline) {
  while (timeline.size() > 1 && timeline[1].at <= start) timeline.erase(timeline.begin());
  for (runtime::TimelineState& state : timeline) state.at = std::max(state.at - start, Duration(0));
}

std::vector<int> worker_cpus(const runtime::RunConfig& config) {
  std::vector<int> workers;
  for (const runtime::ProcessorConfig& processor : config.processors) {
    workers.insert(workers.end(), processor.cpus.begin(), processor.cpus.end());
  }
  return workers;
}

}  // namespace

Result<std::unique_ptr<ServiceRun>> ServiceRun::open(ServiceConfig& config, runtime::RunHooks hooks,
                                                     ServiceRunOptions options) {
  std::unique_ptr<ServiceRun> run(new ServiceRun(config, options.start_at));
  const Status started = run->start(std::move(hooks), std::move(options));
  if (!started) return started.errors();
  return run;
}

Status ServiceRun::start(runtime::RunHooks hooks, ServiceRunOptions options) {
  std::optional<config::ApiConfig> api;
  results::ResultsSettings results;
  std::vector<rules::Rule> rules;
  std::optional<config::FleetSettings> fleet;
  std::vector<config::ProfileFile> profile_files;
  config_.look([&](const LiveConfig& live, Duration) {
    begun_with_ = live.loaded().run;
    profile_files = live.loaded().profile_files;
    api = live.loaded().api;
    results = live.loaded().results;
    rules = live.loaded().rules;
    fleet = live.loaded().fleet;
  });
  start_timeline_at(start_at_, begun_with_.timeline);
  if (!options.backend) {
    if (Errors missing = config::missing_providers(begun_with_); !missing.empty()) return missing;
    if (Errors others = config::other_cards_here(profile_files, begun_with_); !others.empty()) return others;
    auto backend =
        runtime::make_backend(begun_with_.backend, begun_with_.graph_cache, begun_with_.engine_library);
    if (!backend) return backend.errors();
    options.backend = std::move(backend).value();
  }
  solver_ = config::make_solver(begun_with_.solver);
  const scheduler::PolicyKind kind = options.policy.value_or(begun_with_.policy);
  policy_ = scheduler::make_policy(kind, *solver_);
  ResultViews views;
  if (api) {
    views = {std::make_shared<ResultFeed>(results.node), std::make_shared<Snapshots>(),
             std::make_shared<const SteadyClock>()};
  }
  if (api || !results.sinks.empty()) open_results(results, views, hooks, std::move(options.sinks));
  rules_ = std::make_unique<RuleSession>(
      std::move(rules), [this](rules::Overlay overlay) { return config_.lay_over(std::move(overlay)); },
      std::move(options.minute_of_week));
  hooks.results = rules_->listener(std::move(hooks.results));
  if (fleet) {
    if (Status opened = open_fleet(*fleet, api, options.state_dir, hooks); !opened) return opened;
  }
  if (api) open_session(kind, std::move(views), hooks);
  hooks = with_news_of_rules(std::move(hooks));
  // Also without rules: a reload may bring some.
  hooks.status_interval = std::min(hooks.status_interval, kNewsInterval);
  if (config_.keeps_state()) hooks = with_saving(std::move(hooks));
  auto shell = runtime::RealShell::open(begun_with_, std::move(options.backend),
                                        session_ ? session_->policy() : *policy_, std::move(hooks),
                                        options.opener, std::move(options.meter));
  if (!shell) return shell.errors();
  shell_ = std::move(shell).value();
  if (session_) {
    Result<std::string> address = session_->serve(*api, begun_with_, *shell_, std::move(options.certificate));
    if (!address) return address.errors();
    address_ = std::move(address).value();
  }
  take_changes();
  rules_->run(worker_cpus(begun_with_));
  if (fleet_) fleet_->run();
  return Done{};
}

Status ServiceRun::open_fleet(const config::FleetSettings& fleet, const std::optional<config::ApiConfig>& api,
                              std::filesystem::path state_dir, runtime::RunHooks& hooks) {
  FleetSession::Settings settings{fleet, api, std::move(state_dir), worker_cpus(begun_with_),
                                  [this] { shell_->stop(); }};
  Result<std::unique_ptr<FleetSession>> session =
      FleetSession::open(std::move(settings), begun_with_, config_);
  if (!session) return session.errors();
  fleet_ = std::move(session).value();
  hooks = fleet_->hooks(std::move(hooks));
  return Done{};
}

void ServiceRun::open_session(scheduler::PolicyKind kind, ResultViews views, runtime::RunHooks& hooks) {
  session_.emplace(config_, *policy_, kind);
  session_->tell_fleet([this] { return fleet_ ? std::optional(fleet_->facts()) : std::nullopt; });
  session_->tell_moved(
      [this](const std::string& task) { return fleet_ ? fleet_->moved(task) : std::optional<MovedTask>(); });
  session_->tell_deliveries([this] { return deliveries(); });
  session_->tell_rules([this] { return rules_->states(); });
  session_->show_results(std::move(views));
  hooks = session_->hooks(std::move(hooks));
}

void ServiceRun::open_results(const results::ResultsSettings& settings, const ResultViews& views,
                              runtime::RunHooks& hooks, std::function<void(const SinkNews&)> told) {
  results_ = ResultSession::open(settings, begun_with_, views,
                                 [this](const std::string& task, const std::string& patch) {
                                   return change_demand(config_, task, patch);
                                 });
  hooks.results = results_->listener();
  hooks.status = [this, status = std::move(hooks.status),
                  told = std::move(told)](const runtime::RunStatus& now) {
    if (status) status(now);
    results_->tell(now);
    for (const SinkNews& news : sink_watch_.look(results_->accounts(), TimePoint(now.at))) {
      if (told) told(news);
    }
  };
}

// Events are told by the main loop, which reports the status.
runtime::RunHooks ServiceRun::with_news_of_rules(runtime::RunHooks hooks) {
  hooks.status = [this, status = std::move(hooks.status),
                  event = hooks.event](const runtime::RunStatus& now) {
    if (status) status(now);
    for (const runtime::action::Report& report : rules_->take_news()) {
      if (event) event(now.at, report);
    }
  };
  return hooks;
}

runtime::RunHooks ServiceRun::with_saving(runtime::RunHooks hooks) {
  hooks.status = [this, status = std::move(hooks.status)](const runtime::RunStatus& now) {
    if (status) status(now);
    if (now.settled) config_.serves(now.generation);
  };
  hooks.status_interval = std::min(hooks.status_interval, kSaveInterval);
  return hooks;
}

// From now on it counts as a configuration that runs.
void ServiceRun::take_changes() {
  config_.attach(RunSeam{[this](runtime::RunConfig wanted) {
                           start_timeline_at(start_at_, wanted.timeline);
                           const TaskLabels tasks = labels_of(wanted);
                           auto taken = shell_->reconfigure(std::move(wanted));
                           if (taken && results_) results_->set_tasks(tasks);
                           return taken;
                         },
                         [this] { return shell_->elapsed() + start_at_; },
                         [this](const std::vector<rules::Rule>& rules, const rules::Overlay& in_force) {
                           rules_->set_rules(rules, in_force);
                           if (fleet_) fleet_->changed();
                         }});
}

runtime::RunSummary ServiceRun::run(std::optional<Duration> duration) {
  struct Ending {  // also when a hook throws: nothing asks a run that is over
    ServiceRun& run;
    ~Ending() { run.end(); }
  } const ending{*this};
  runtime::RunSummary summary = shell_->run(duration);
  // A change that came to serve since the status was last reported.
  const runtime::RunStatus last = shell_->status();
  if (last.settled) config_.serves(last.generation);
  config_.flush();
  return summary;
}

ServiceRun::~ServiceRun() { end(); }

// Before the shell goes.
void ServiceRun::end() {
  if (session_) session_->end();
  if (fleet_) fleet_->end();
  if (rules_) rules_->end();  // a change of its own is refused once the run is over
  config_.attach(std::nullopt);
  if (results_) results_->end();
}

}  // namespace saccade::service
