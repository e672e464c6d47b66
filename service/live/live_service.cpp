#include "service/live/live_service.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/check.hpp"
#include "config/schemas.hpp"
#include "results/record.hpp"
#include "service/live/change_requests.hpp"
#include "service/live/network_facts.hpp"
#include "service/live/plan_json.hpp"
#include "service/live/readiness.hpp"
#include "service/live/status_json.hpp"
#include "vision/decode/objects.hpp"

namespace saccade::service {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostShown = 100;  // objects, in a header

std::string text_of(const Json& json) { return json.dump(1) + "\n"; }

}  // namespace

// --- What happens ---------------------------------------------------------------------------------

void LiveService::attach(Status status, Outline outline, LatestFrame latest_frame, LatestAnswer latest_answer,
                         Push push) {
  status_ = std::move(status);
  outline_ = std::move(outline);
  latest_frame_ = std::move(latest_frame);
  latest_answer_ = std::move(latest_answer);
  push_ = std::move(push);
}

void LiveService::hear(Duration at, const runtime::action::Report& report) {
  const Json event = {{"at_seconds", to_seconds(at).value()},
                      {"task", report.task.empty() ? Json() : Json(report.task)},
                      {"detail", report.detail}};
  events_.publish(to_string(report.event), event.dump(-1, ' ', false, Json::error_handler_t::replace));
}

// --- What is --------------------------------------------------------------------------------------

Readiness LiveService::readiness() const {
  const auto decided = plans_.newest();
  return readiness_of(outline_(std::nullopt), decided ? std::optional(decided->plan.status) : std::nullopt,
                      without_folders(config_.notes()), fleet_(), captures_.busy(), power_.above());
}

std::optional<double> LiveService::store_age() const {
  const std::optional<FleetFacts> fleet = fleet_();
  return fleet ? fleet->store_age : std::nullopt;
}

std::string LiveService::document(Document which) const {
  switch (which) {
    case Document::version:
      return text_of({{"version", SACCADE_VERSION}, {"api", "v1"}});
    case Document::server:
      return text_of(
          {{"name", "saccade"}, {"version", SACCADE_VERSION}, {"extensions", {"binary_tensor_data"}}});
    case Document::schema:
      return std::string(config::config_schema());
    case Document::status:
      return text_of(this->status());
    case Document::plan:
      return plan();
    case Document::history:
      return history();
    case Document::models:
      return text_of({{"models", models_json(outline_(std::nullopt))}});
    case Document::tasks:
      return text_of({{"tasks", tasks_json(status_(), rules_())}});
  }
  check_failed("known document", __FILE__, __LINE__);
}

// What was decided last, and the policy of what runs: the fallback's where no plan keeps all floors.
nlohmann::ordered_json LiveService::status() const {
  const runtime::RunStatus status = status_();
  const std::vector<ShownRule> rules = rules_();
  Json json = to_json(status, rules);
  json["rules"] = to_json(rules, status.at);
  json["memory"]["source"] = "planned";
  const MachineReadings readings = readings_();
  const std::optional<Bytes>& held = readings.memory;
  json["results"] = to_json(deliveries_());
  json["temperatures"] = to_json(readings.temperatures);
  json["memory"]["process"] = held ? Json{{"bytes", held->value()}, {"source", "measured"}} : Json();
  if (const auto fleet = fleet_()) {
    json["fleet"] = {
        {"connected", fleet->connected},
        {"cameras", fleet->cameras},
        {"assignment_age_seconds", fleet->assignment_age ? Json(*fleet->assignment_age) : Json()}};
  }
  const auto decided = plans_.newest();
  if (!status.plan || !decided) return json;
  json["plan"] = {{"generation", decided->plan.generation},
                  {"status", to_string(decided->plan.status)},
                  {"policy", decided->plan.policy},
                  {"runs", status.plan->policy}};
  return json;
}

std::string LiveService::plan() const {
  const runtime::RunOutline run = outline_(std::nullopt);
  const auto booked = run.plan ? plans_.newest() : std::nullopt;
  return text_of(booked ? to_json(*booked, run) : Json());
}

std::string LiveService::history() const {
  const runtime::RunOutline run = outline_(std::nullopt);
  Json list = Json::array();
  for (const BookedPlan& booked : plans_.last()) list.push_back(to_json(booked, run));
  return text_of({{"plans", std::move(list)}});
}

bool LiveService::has_task(const std::string& id) const { return config_.has_task(id); }

std::optional<std::string> LiveService::task(const std::string& id) const {
  const runtime::RunStatus status = status_();
  for (const runtime::TaskStatus& task : status.tasks) {
    if (task.id.str() != id) continue;
    Json json = to_json(task, wanted_task(status, task.id));
    json["active_rules"] = active_rules(rules_(), task.id.str(), status.at);
    const auto answer = latest_answer_(task.index);
    json["answer"] = answer ? to_json(*answer, *task.profiles) : Json();
    return text_of(json);
  }
  return std::nullopt;
}

std::optional<NetworkFacts> LiveService::network(const std::string& id) const {
  const runtime::RunOutline run = outline_(TaskId(id));
  if (run.tasks.empty()) return std::nullopt;
  return network_facts(run, run.tasks.front());
}

std::vector<std::string> LiveService::labels(const std::set<std::string>& tasks) const {
  std::set<std::string> labels;
  for (const runtime::TaskOutline& task : outline_(std::nullopt).tasks) {
    if (!tasks.empty() && !tasks.contains(task.id.str())) continue;
    labels.insert(task.profiles->labels.begin(), task.profiles->labels.end());
  }
  return {labels.begin(), labels.end()};
}

runtime::PushVerdict LiveService::push(runtime::TaskIndex task, runtime::PushedFrame frame,
                                       runtime::AnswerFrame answer) {
  return push_(task, std::move(frame), std::move(answer));
}

std::optional<Thumbnail> LiveService::thumbnail(const std::string& id) {
  const runtime::RunOutline run = outline_(TaskId(id));
  if (run.tasks.empty()) return std::nullopt;
  const runtime::TaskOutline& task = run.tasks.front();
  runtime::LatestFrame::Look look = latest_frame_(task.index);
  Thumbnail thumbnail{std::move(look.jpeg), {}};
  if (!look.answer) return thumbnail;
  for (const int number : look.answer->classes) thumbnail.labels.push_back(label_of(*task.profiles, number));
  for (const vision::Object& object : look.answer->objects) {
    if (thumbnail.labels.size() == kMostShown) break;
    thumbnail.labels.push_back(label_of(*task.profiles, object.label));
  }
  return thumbnail;
}

std::optional<Snapshot> LiveService::snapshot(const std::string& id) {
  if (!has_task(id)) return std::nullopt;
  std::optional<Snapshots::Taken> taken = views_.snapshots->look(id, views_.clock->now());
  if (!taken) return Snapshot{};
  const std::int64_t frame = taken->result->frame;
  std::string captured_at = results::utc_text(taken->result->captured_at);
  return Snapshot{frame, std::move(captured_at), [taken = *std::move(taken)](bool boxes) {
                    return taken.drawn->jpeg(boxes, [&] { return drawn_of(taken, boxes); });
                  }};
}

MetricsSnapshot LiveService::metrics() const {
  const PlanBook::Counts plans = plans_.counts();
  const ReloadCounts reloads = config_.reloads();
  const auto decided = plans_.newest();
  MetricsSnapshot metrics;
  metrics.status = status_();
  MachineReadings readings = readings_();
  metrics.process_memory = readings.memory;
  metrics.temperatures = std::move(readings.temperatures);
  metrics.version = SACCADE_VERSION;
  metrics.budget_used = busy_.budget_used(metrics.status);
  metrics.solves.assign(plans.by_status.begin(), plans.by_status.end());
  metrics.fallbacks.assign(plans.fallbacks.begin(), plans.fallbacks.end());
  metrics.solve_times = plans.times;
  metrics.infeasible = decided && decided->plan.status == scheduler::PlanStatus::infeasible;
  metrics.reloads = reloads.succeeded;
  metrics.failed_reloads = reloads.failed;
  metrics.deliveries = deliveries_();
  for (const ShownRule& rule : rules_())
    metrics.rules.push_back({rule.state.rule, rule.state.task, rule.state.active, rule.state.turns});
  metrics.result_streams = views_.feed->counts();
  metrics.fleet = fleet_();
  if (reloads.succeeded + reloads.failed > 0) metrics.last_reload_successful = reloads.last_succeeded;
  return metrics;
}

// --- What is wanted -------------------------------------------------------------------------------

Versioned LiveService::configuration() const {
  ServiceConfig::Document now = config_.document();
  return {std::move(now.text), std::move(now.etag)};
}

std::string LiveService::configuration_in_force() const {
  std::string text;
  config_.look([&](const LiveConfig& live, Duration at) { text = live.text_at(at); });
  return text;
}

ChangeOutcome LiveService::change(const Change& change) { return carry_out(change, config_); }

DryRun LiveService::dry_run(const std::string& patch) {
  std::vector<rules::Holding> holding;
  for (const ShownRule& rule : rules_()) {
    if (rule.state.active) holding.push_back({rule.state.rule, rule.state.task});
  }
  return service::dry_run(patch, config_, outline_(std::nullopt), policy_, holding);
}

}  // namespace saccade::service
