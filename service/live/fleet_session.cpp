#include "service/live/fleet_session.hpp"

#include <algorithm>
#include <utility>

#include "fleet_store/documents.hpp"
#include "service/fleet/box_report.hpp"

namespace saccade::service {
namespace {

// What the box reports to the fleet may wait as long.
constexpr Duration kObserveInterval = std::chrono::milliseconds(250);

// From other machines.
bool is_reachable(const config::ListenAddress& address) {
  return !address.is_local() && address.port != 0 && address.ip != "0.0.0.0" && address.ip != "::";
}

// Where planners ask whether the box lives.
std::string livez_of(const FleetSession::Settings& settings) {
  if (!settings.fleet.livez.empty()) return settings.fleet.livez;
  if (!settings.api) return {};
  if (settings.api->health && is_reachable(*settings.api->health)) {
    return to_string(*settings.api->health) + "/livez";
  }
  return {};
}

// Where clients reach it.
std::string api_of(const FleetSession::Settings& settings) {
  if (!settings.fleet.api.empty()) return settings.fleet.api;
  if (!settings.api || !is_reachable(settings.api->address)) return {};
  return to_string(settings.api->address, settings.api->tls.has_value());
}

BoxHands::Answer serve(ServiceConfig& config, std::vector<text::JsonValue> tasks) {
  const auto applied =
      config.change([&](const LiveConfig& live, Duration) -> runtime::ChangeResult<Candidate> {
        return live.with_fleet_tasks(std::move(tasks));
      });
  if (applied) return {true, false, ""};
  const bool later = applied.refused().kind != runtime::Refusal::invalid;
  return {false, later, to_string(applied.errors())};
}

// By key.
Result<std::map<std::string, std::string>> papers_of(const config::FleetSettings& fleet,
                                                     const runtime::RunConfig& run, const std::string& livez,
                                                     const std::string& api) {
  Result<BoxReport> report = box_report(fleet, run, SACCADE_VERSION, livez, api);
  if (!report) return report.errors();
  const fleet_store::Keys keys(fleet.name);
  std::map<std::string, std::string> papers;
  papers[keys.report(fleet.box)] = std::move(report.value().text);
  for (auto& [digest, text] : report.value().profiles) papers[keys.profiles(digest)] = std::move(text);
  return papers;
}

// What runs without the tasks that the fleet added, on processors as quick as they were seen to be.
runtime::RunConfig own_run(const ServiceConfig& config, const std::vector<double>& corrections) {
  runtime::RunConfig run;
  config.look([&](const LiveConfig& live, Duration) {
    run = live.loaded().run;
    for (runtime::TimelineState& state : run.timeline) {
      std::erase_if(state.snapshot.tasks,
                    [&](const scheduler::Task& task) { return live.has_fleet_task(task.id.str()); });
      std::vector<scheduler::Processor>& processors = state.snapshot.processors;
      for (std::size_t p = 0; p < std::min(processors.size(), corrections.size()); ++p)
        processors[p].correction = corrections[p];
    }
  });
  return run;
}

}  // namespace

Result<std::unique_ptr<FleetSession>> FleetSession::open(Settings settings, const runtime::RunConfig& run,
                                                         ServiceConfig& config) {
  std::unique_ptr<FleetSession> session(new FleetSession);
  const std::string livez = livez_of(settings);
  const std::string api = api_of(settings);
  Result<std::map<std::string, std::string>> papers = papers_of(settings.fleet, run, livez, api);
  if (!papers) return papers.errors();
  BoxAgent::Settings of_agent;
  of_agent.papers = std::move(papers).value();
  of_agent.papers_now = [&config, livez, api, self = session.get(),
                         fleet = settings.fleet]() -> std::map<std::string, std::string> {
    const auto now = papers_of(fleet, own_run(config, self->corrections()), livez, api);
    return now ? now.value() : std::map<std::string, std::string>{};  // what is reported stays
  };
  if (!settings.state_dir.empty()) {
    session->file_ = std::make_unique<AssignmentFile>(settings.state_dir);
    Result<std::optional<std::string>> saved = session->file_->load();
    if (saved) {
      of_agent.saved = std::move(saved).value();
    } else {
      session->set_note(saved.errors().front().what);
    }
  }
  of_agent.fleet = std::move(settings.fleet);
  of_agent.workers = std::move(settings.workers);
  of_agent.conflict = std::move(settings.conflict);
  BoxHands hands;
  hands.serve = [&config](std::vector<text::JsonValue> tasks) { return serve(config, std::move(tasks)); };
  hands.save = [self = session.get()](const std::string& text) { self->save(text); };
  session->agent_ = std::make_unique<BoxAgent>(std::move(of_agent), std::move(hands));
  return session;
}

void FleetSession::save(const std::string& text) {
  if (!file_) return;
  const Status saved = file_->save(text);
  set_note(saved ? "" : "the assignment cannot be saved: " + saved.errors().front().what);
}

FleetFacts FleetSession::facts() const {
  FleetFacts facts = agent_->facts();
  const Lock lock(mutex_);
  facts.note = note_;
  return facts;
}

std::optional<MovedTask> FleetSession::moved(const std::string& task) const {
  std::optional<fleet::MovedCamera> moved = agent_->moved(task);
  if (!moved) return std::nullopt;
  return MovedTask{moved->box.str(), std::move(moved->api)};
}

runtime::RunHooks FleetSession::hooks(runtime::RunHooks hooks) {
  hooks.status = [this, status = std::move(hooks.status)](const runtime::RunStatus& now) {
    if (status) status(now);
    std::vector<ObservedTask> tasks;
    for (const runtime::TaskStatus& task : now.tasks) {
      tasks.push_back({task.id.str(), task.frames.processed, task.variant.has_value(), task.pushed,
                       task.spare.has_value()});
    }
    agent_->observe(std::move(tasks));
    bool others = false;
    {
      const Lock lock(mutex_);
      others = corrections_.follow(now.corrections, now.busy, now.at);
    }
    if (others) agent_->refresh();
  };
  hooks.status_interval = std::min(hooks.status_interval, kObserveInterval);
  return hooks;
}

}  // namespace saccade::service
