#include "app/live_service.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/config_state.hpp"
#include "app/plan_json.hpp"
#include "app/planning.hpp"
#include "app/schemas.hpp"
#include "app/solvers.hpp"
#include "app/status_json.hpp"
#include "base/check.hpp"
#include "profiles/strict_json.hpp"
#include "runtime/service/infer_request.hpp"

namespace saccade::app {
namespace {

using Json = nlohmann::ordered_json;
using runtime::ChangeOutcome;
using runtime::Document;

constexpr Duration kWindow = std::chrono::seconds(2);
// A dry run answers on the API's thread, where others wait.
constexpr Seconds kLongestDryRun(0.2);

std::string text_of(const Json& json) { return json.dump(1) + "\n"; }

// Complaints of the reader name places of the document by pointers; those about a file that the document
// names are told of the document as a whole, without the folders of this machine.
Errors told_outside(const Errors& errors) {
  Errors told;
  for (const Error& error : errors) {
    if (error.where.starts_with('#')) {
      told.push_back(error);
    } else {
      const std::size_t name = error.where.rfind('/', error.where.find(' '));
      const std::string file = name == std::string::npos ? error.where : error.where.substr(name + 1);
      told.push_back({"#", file + ": " + error.what, error.hint});
    }
  }
  return told;
}

bool is_about_the_run(const Errors& errors) {
  return std::all_of(errors.begin(), errors.end(),
                     [](const Error& error) { return error.where.empty() || error.where == "service"; });
}

// The state that holds at this moment, with what runs.
scheduler::Snapshot state_now(const LiveConfig& live, Duration at, const runtime::RunStatus& status) {
  const auto& timeline = live.loaded().run.timeline;
  std::size_t entry = 0;
  while (entry + 1 < timeline.size() && timeline[entry + 1].at <= at) ++entry;
  scheduler::Snapshot state = timeline[entry].snapshot;
  for (scheduler::Task& task : state.tasks) {
    for (const runtime::TaskStatus& running : status.tasks) {
      if (running.id != task.id || !running.variant) continue;
      task.running = task.profiles->index_of(running.profiles->variants.at(*running.variant).id);
      task.running_rate = running.granted;
    }
  }
  for (std::size_t p = 0; p < state.processors.size() && p < status.corrections.size(); ++p) {
    state.processors[p].correction = status.corrections[p];
  }
  return state;
}

// Their share goes to the others until they are back.
void without_lost_sources(const runtime::RunStatus& status, scheduler::Snapshot& state) {
  for (const runtime::TaskStatus& running : status.tasks) {
    if (running.source_connected) continue;
    for (scheduler::Task& task : state.tasks) {
      if (task.id == running.id) task.demand = Fps(0.0);
    }
  }
}

Errors apply(const std::string& patch, double fps_scale, scheduler::Snapshot& state) {
  profiles::JsonReport report("#", [](std::size_t, const std::string& pointer) { return "#" + pointer; });
  const auto document = profiles::parse_json(patch, report);
  if (report.empty()) apply_patch({&*document, ""}, fps_scale, state, report);
  if (!report.empty()) return report.errors();
  Errors errors = scheduler::validate(state);
  for (Error& error : errors) error.where.insert(0, "#");
  return errors;
}

}  // namespace

// --- What happens ---------------------------------------------------------------------------------

void LiveService::attach(Status status, LatestFrame latest_frame, Push push) {
  status_ = std::move(status);
  latest_frame_ = std::move(latest_frame);
  push_ = std::move(push);
}

void LiveService::hear(Duration at, const runtime::action::Report& report) {
  const Json event = {{"at_seconds", to_seconds(at).value()},
                      {"task", report.task.empty() ? Json() : Json(report.task)},
                      {"detail", report.detail}};
  events_.publish(report.event, event.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void LiveService::look(const runtime::RunStatus& status) {
  const std::lock_guard lock(mutex_);
  samples_.push_back({status.at, status.busy});
  while (samples_.size() > 1 && status.at - samples_[1].at > kWindow) samples_.pop_front();
}

// --- What is --------------------------------------------------------------------------------------

runtime::Readiness LiveService::readiness() const {
  const runtime::RunStatus status = status_();
  const bool planned = status.plan != nullptr;
  const bool started = status.at > Duration(0);
  runtime::Readiness readiness;
  readiness.ready = planned && started;
  readiness.checks.push_back(
      {"plan", planned, planned ? "generation " + std::to_string(status.plan->generation) : "none yet"});
  readiness.checks.push_back({"engines", started, started ? "" : "the first ones are being loaded"});
  for (const runtime::TaskStatus& task : status.tasks) {
    if (!task.source_connected) readiness.checks.push_back({"source of " + task.id.str(), false, "lost"});
  }
  for (const Error& note : told_outside(config_.notes())) {
    readiness.checks.push_back({"configuration", false, note.what});
  }
  return readiness;
}

std::string LiveService::document(Document which) const {
  switch (which) {
    case Document::version:
      return text_of({{"version", SACCADE_VERSION}, {"api", "v1"}});
    case Document::schema:
      return std::string(config_schema());
    case Document::status:
      return text_of(this->status());
    case Document::plan:
      return plan();
    case Document::history:
      return history();
    case Document::models:
      return text_of({{"models", models_json(status_())}});
    case Document::tasks:
      return text_of({{"tasks", tasks_json(status_())}});
  }
  check_failed("known document", __FILE__, __LINE__);
}

// What was decided last, and the policy of what runs: the fallback's where no plan keeps all floors.
nlohmann::ordered_json LiveService::status() const {
  const runtime::RunStatus status = status_();
  Json json = to_json(status);
  const auto decided = plans_.newest();
  if (!status.plan || !decided) return json;
  json["plan"] = {{"generation", decided->plan.generation},
                  {"status", to_string(decided->plan.status)},
                  {"policy", decided->plan.policy},
                  {"runs", status.plan->policy}};
  return json;
}

std::string LiveService::plan() const {
  const runtime::RunStatus status = status_();
  const auto booked = status.plan ? plans_.newest() : std::nullopt;
  return text_of(booked ? to_json(*booked, status) : Json());
}

std::string LiveService::history() const {
  const runtime::RunStatus status = status_();
  Json list = Json::array();
  for (const BookedPlan& booked : plans_.last()) list.push_back(to_json(booked, status));
  return text_of({{"plans", std::move(list)}});
}

std::optional<std::string> LiveService::task(const std::string& id) const {
  const runtime::RunStatus status = status_();
  for (const runtime::TaskStatus& task : status.tasks) {
    if (task.id.str() == id) return text_of(to_json(task, wanted_task(status, task.id)));
  }
  return std::nullopt;
}

std::optional<runtime::NetworkFacts> LiveService::network(const std::string& id) const {
  const runtime::RunStatus status = status_();
  for (const runtime::TaskStatus& task : status.tasks) {
    if (task.id.str() != id) continue;
    const profiles::InputShape& input = task.profiles->input;
    const std::int64_t regions = std::max(1, runtime::region_count(task.regions));
    runtime::NetworkFacts facts;
    facts.platform = "saccade";
    for (const profiles::Variant& variant : task.profiles->variants)
      facts.versions.push_back(variant.id.str());
    facts.inputs = {{runtime::kInferInput, "FP32", {regions, input.channels, input.height, input.width}}};
    const auto classes = static_cast<std::int64_t>(task.profiles->labels.size());
    facts.outputs = {{"label", "BYTES", {regions}}, {"class", "INT64", {regions}}};
    facts.outputs.push_back({"logits", "FP32", {regions, classes}});
    facts.ready = task.variant.has_value();
    facts.pushed = task.pushed;
    facts.task = task.index;
    facts.input = input;
    facts.regions = task.regions;
    facts.region_count = regions;
    facts.labels = task.profiles->labels;
    for (const scheduler::Processor& processor : status.wanted->processors) {
      facts.processors.push_back(processor.id.str());
    }
    return facts;
  }
  return std::nullopt;
}

runtime::PushVerdict LiveService::push(runtime::TaskIndex task, runtime::PushedFrame frame,
                                       runtime::AnswerFrame answer) {
  return push_(task, std::move(frame), std::move(answer));
}

std::optional<runtime::Thumbnail> LiveService::thumbnail(const std::string& id) {
  const runtime::RunStatus status = status_();
  const auto task = std::find_if(status.tasks.begin(), status.tasks.end(),
                                 [&](const runtime::TaskStatus& each) { return each.id.str() == id; });
  if (task == status.tasks.end()) return std::nullopt;
  runtime::LatestFrame::Look look = latest_frame_(task->index);
  runtime::Thumbnail thumbnail{std::move(look.jpeg), {}};
  for (const int answer : look.answers) {
    const auto& labels = task->profiles->labels;
    const auto known = static_cast<std::size_t>(answer) < labels.size();
    thumbnail.labels.push_back(known ? labels[static_cast<std::size_t>(answer)] : std::to_string(answer));
  }
  return thumbnail;
}

std::vector<runtime::ProcessorMetrics> LiveService::processors(const runtime::RunStatus& status) const {
  std::vector<runtime::ProcessorMetrics> list;
  for (std::size_t p = 0; p < status.busy.size(); ++p) {
    const scheduler::Processor& processor = status.wanted->processors.at(p);
    runtime::ProcessorMetrics metrics{processor.id.str(), std::nullopt};
    if (!samples_.empty() && status.at > samples_.front().at) {
      const double busy = to_seconds(status.busy[p] - samples_.front().busy.at(p)).value();
      metrics.budget_used = busy / to_seconds(status.at - samples_.front().at).value() / processor.budget();
    }
    list.push_back(std::move(metrics));
  }
  return list;
}

runtime::MetricsSnapshot LiveService::metrics() const {
  const runtime::RunStatus status = status_();
  const PlanBook::Counts plans = plans_.counts();
  const ReloadCounts reloads = config_.reloads();
  const std::lock_guard lock(mutex_);
  runtime::MetricsSnapshot metrics;
  metrics.switches = status.switch_totals;
  metrics.version = SACCADE_VERSION;
  for (const runtime::TaskStatus& task : status.tasks) {
    const scheduler::Task* wanted = wanted_task(status, task.id);
    runtime::TaskMetrics& each = metrics.tasks.emplace_back();
    each.id = task.id.str();
    each.frames = task.frames;
    each.demanded = task.demanded;
    each.granted = task.granted;
    each.source_connected = task.source_connected;
    if (wanted != nullptr) each.accuracy_floor = accuracy_floor(*wanted);
    if (!task.variant) continue;
    const profiles::Variant& variant = task.profiles->variants.at(*task.variant);
    each.accuracy = variant.accuracy;
    each.variant = variant.id.str();
  }
  metrics.processors = processors(status);
  metrics.solves.assign(plans.by_status.begin(), plans.by_status.end());
  metrics.fallbacks.assign(plans.fallbacks.begin(), plans.fallbacks.end());
  metrics.solve_times = plans.times;
  const auto decided = plans_.newest();
  metrics.infeasible = decided && decided->plan.status == scheduler::PlanStatus::infeasible;
  metrics.energy = status.energy;
  metrics.memory_used = status.reserved;
  metrics.memory_limit = status.wanted->limits.memory;
  metrics.reloads = reloads.succeeded;
  metrics.failed_reloads = reloads.failed;
  if (reloads.succeeded + reloads.failed > 0) metrics.last_reload_successful = reloads.last_succeeded;
  return metrics;
}

// --- What is wanted -------------------------------------------------------------------------------

runtime::Versioned LiveService::configuration() const {
  ServiceConfig::Document now = config_.document();
  return {std::move(now.text), std::move(now.etag)};
}

ChangeOutcome LiveService::change(const runtime::Change& change) {
  using Kind = runtime::Change::Kind;
  ChangeOutcome outcome;
  const auto candidate = [&](const LiveConfig& live, Duration at) -> Result<Candidate> {
    if (change.only_if && *change.only_if != live.etag()) {
      outcome.kind = ChangeOutcome::Kind::stale;
      return Error{"#", "is not the one that is meant", ""};
    }
    switch (change.kind) {
      case Kind::replace:
        return live.replaced(change.text);
      case Kind::parts:
        return live.patched(change.text, at);
      case Kind::limits:
        return live.limits_patched(change.text, at);
      case Kind::objective:
        return live.objective_put(change.text, at);
      case Kind::task:
        // Somebody else may have removed it since it was asked for.
        if (!live.has_task(change.task)) return Error{"#", "the task is gone", ""};
        return live.task_patched(change.task, change.text, at);
      case Kind::reload:
        break;
    }
    check_failed("a change that is proposed", __FILE__, __LINE__);
  };
  const auto refuse = [&](const Errors& errors) {
    if (outcome.kind == ChangeOutcome::Kind::stale) return;
    const bool run = is_about_the_run(errors);
    outcome.kind = run ? ChangeOutcome::Kind::unavailable : ChangeOutcome::Kind::invalid;
    outcome.errors = told_outside(errors);
  };
  if (change.check_only) {
    config_.look([&](const LiveConfig& live, Duration at) {
      const Result<Candidate> checked = candidate(live, at);
      if (!checked) return refuse(checked.errors());
      outcome.warnings = told_outside(checked.value().loaded.warnings);
    });
    return outcome;
  }
  if (change.kind == Kind::reload && change.only_if && *change.only_if != configuration().etag) {
    return {ChangeOutcome::Kind::stale};
  }
  const Result<ServiceConfig::Applied> applied =
      change.kind == Kind::reload ? config_.reload() : config_.change(candidate);
  if (!applied) {
    refuse(applied.errors());
    return outcome;
  }
  outcome.generation = applied.value().generation;
  outcome.etag = applied.value().etag;
  outcome.warnings = told_outside(applied.value().warnings);
  return outcome;
}

runtime::DryRun LiveService::dry_run(const std::string& patch) {
  const runtime::RunStatus status = status_();
  runtime::DryRun outcome;
  Moment moment;
  config_.look([&](const LiveConfig& live, Duration at) {
    moment.snapshot = state_now(live, at, status);
    outcome.errors = apply(patch, live.loaded().fps_scale, moment.snapshot);
    without_lost_sources(status, moment.snapshot);
    moment.run.solver = live.loaded().run.solver;
    moment.run.solver_deadline = std::min(live.loaded().run.solver_deadline, kLongestDryRun);
  });
  if (!outcome.errors.empty()) {
    outcome.kind = runtime::DryRun::Kind::invalid;
    return outcome;
  }
  moment.policy = policy_;
  moment.solver = make_solver(moment.run.solver);
  const Decided decided = decide_once(moment, moment.snapshot);
  outcome.plan = text_of(to_json(moment.snapshot, decided.plan, {decided.took, false}));
  if (decided.plan.status == scheduler::PlanStatus::infeasible)
    outcome.kind = runtime::DryRun::Kind::infeasible;
  if (decided.plan.status == scheduler::PlanStatus::unknown) outcome.kind = runtime::DryRun::Kind::unknown;
  return outcome;
}

}  // namespace saccade::app
