#include "service/live/live_service.hpp"

#include <algorithm>
#include <memory>
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

struct StatusFacts {
  runtime::RunStatus status;
  std::vector<ShownRule> rules;
  MachineReadings readings;
  std::vector<results::DeliveryAccount> deliveries;
  std::optional<FleetFacts> fleet;
  std::shared_ptr<const BookedPlan> decided;
};

// What was decided last, and the policy of what runs: the fallback's where no plan keeps all floors.
Json status_json(const StatusFacts& facts) {
  const runtime::RunStatus& status = facts.status;
  Json json = to_json(status, facts.rules);
  json["rules"] = to_json(facts.rules, status.at);
  json["memory"]["source"] = "planned";
  const std::optional<Bytes>& held = facts.readings.memory;
  json["results"] = to_json(facts.deliveries);
  json["temperatures"] = to_json(facts.readings.temperatures);
  json["memory"]["process"] = held ? Json{{"bytes", held->value()}, {"source", "measured"}} : Json();
  if (facts.fleet) {
    json["fleet"] = {{"connected", facts.fleet->connected},
                     {"cameras", facts.fleet->cameras},
                     {"assignment_age_seconds",
                      facts.fleet->assignment_age ? Json(*facts.fleet->assignment_age) : Json()}};
  }
  if (!status.plan || facts.decided == nullptr) return json;
  const scheduler::Plan& decided = facts.decided->plan;
  json["plan"] = {{"generation", decided.generation},
                  {"status", to_string(decided.status)},
                  {"policy", decided.policy},
                  {"runs", status.plan->policy}};
  return json;
}

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
    case Document::history:
    case Document::tasks:
      return gather(which)();
    case Document::plan:
      return plan();
    case Document::models:
      return text_of({{"models", models_json(outline_(std::nullopt))}});
  }
  check_failed("known document", __FILE__, __LINE__);
}

std::function<std::string()> LiveService::gather(Document which) const {
  if (which == Document::tasks) {
    return [status = std::make_shared<const runtime::RunStatus>(status_()), rules = rules_()] {
      return text_of({{"tasks", tasks_json(*status, rules)}});
    };
  }
  if (which == Document::history) {
    return
        [run = std::make_shared<const runtime::RunOutline>(outline_(std::nullopt)), plans = plans_.last()] {
          Json list = Json::array();
          for (const auto& booked : plans) list.push_back(to_json(*booked, *run));
          return text_of({{"plans", std::move(list)}});
        };
  }
  if (which != Document::status) return ServiceModel::gather(which);
  auto facts = std::make_shared<const StatusFacts>(
      StatusFacts{status_(), rules_(), readings_(), deliveries_(), fleet_(), plans_.newest()});
  return [facts = std::move(facts)] { return text_of(status_json(*facts)); };
}

std::string LiveService::plan() const {
  const runtime::RunOutline run = outline_(std::nullopt);
  const auto booked = run.plan ? plans_.newest() : nullptr;
  return text_of(booked ? to_json(*booked, run) : Json());
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
