#include "service/live/plan_json.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "text/object_reader.hpp"

namespace saccade::service {
namespace {

using Json = nlohmann::ordered_json;
using text::in_quotes;
using text::JsonAt;
using text::JsonReport;
using text::JsonValue;
using text::ObjectReader;

Json by_processor(const scheduler::Snapshot& snapshot, const std::vector<double>& shares) {
  Json object = Json::object();
  for (std::size_t p = 0; p < shares.size() && p < snapshot.processors.size(); ++p) {
    object[snapshot.processors[p].id.str()] = shares[p];
  }
  return object;
}

Json tasks_json(const scheduler::Snapshot& snapshot, const scheduler::Plan& plan) {
  Json tasks = Json::array();
  for (std::size_t i = 0; i < plan.tasks.size(); ++i) {
    const scheduler::Assignment& a = plan.tasks[i];
    const profiles::ProfileSet& set = *snapshot.tasks[i].profiles;
    const bool on = a.variant.has_value();
    tasks.push_back({{"id", a.task.str()},
                     {"variant", on ? Json(set.variants[*a.variant].id.str()) : Json()},
                     {"demanded_fps", a.demand.value()},
                     {"granted_fps", a.granted.value()},
                     {"accuracy", on ? Json(a.accuracy) : Json()},
                     {"relative_accuracy", on ? Json(a.relative_accuracy) : Json()},
                     {"time_share", by_processor(snapshot, a.time_share)}});
  }
  return tasks;
}

Json considered_json(const scheduler::Plan& plan) {
  Json considered = Json::array();
  for (const scheduler::FilterTrace& trace : plan.considered) {
    Json removed = Json::array();
    for (const auto& [by, count] : trace.removed) removed.push_back({{"by", by}, {"count", count}});
    considered.push_back({{"task", trace.task.str()},
                          {"variants", trace.all},
                          {"removed", std::move(removed)},
                          {"considered", trace.considered}});
  }
  return considered;
}

// A task as a printed plan has it, put into the snapshot's.
void apply_task(const JsonAt& at, scheduler::Snapshot& snapshot, JsonReport& report) {
  ObjectReader reader(at, report);
  reader.accept_all();  // the other keys say how good the plan was
  const std::optional<JsonAt> id = reader.require("id");
  const std::optional<JsonAt> variant = reader.require("variant");
  double granted = 0.0;
  reader.number("granted_fps", granted, text::kNotNegative);
  if (!id || !variant || (*variant)->kind == JsonValue::Kind::null) return;
  const std::optional<std::string> task_id = text::read_id(*id, report);
  const std::optional<std::string> variant_id = text::read_id(*variant, report);
  if (!task_id || !variant_id) return;
  const auto task = std::find_if(snapshot.tasks.begin(), snapshot.tasks.end(),
                                 [&](const scheduler::Task& t) { return t.id.str() == *task_id; });
  if (task == snapshot.tasks.end()) return;
  task->running = task->profiles->index_of(VariantId(*variant_id));
  task->running_rate = Fps(granted);
  if (!task->running) {
    report.add(*variant, "task " + in_quotes(*task_id) + " has no variant " + in_quotes(*variant_id),
               "use a plan of this configuration's profile sets");
  }
}

}  // namespace

Json to_json(const std::vector<scheduler::Relaxation>& relaxations) {
  Json list = Json::array();
  for (const scheduler::Relaxation& relaxation : relaxations) {
    list.push_back({{"resource", relaxation.resource},
                    {"what", relaxation.what},
                    {"proven", relaxation.proven},
                    {"enough", relaxation.enough},
                    {"needed", number(relaxation.needed)},
                    {"allowed", number(relaxation.allowed)}});
  }
  return list;
}

Json to_json(const scheduler::Snapshot& snapshot, const scheduler::Plan& plan,
             const PlanJsonOptions& options) {
  Json loss = Json::array();
  for (const scheduler::ClassLoss& of : plan.loss) {
    loss.push_back(
        {{"priority", of.priority}, {"weight_off", of.weight_off}, {"weighted_fps", of.weighted_fps}});
  }
  Json binding = Json::array();
  for (const scheduler::Binding& row : plan.binding) {
    binding.push_back({{"resource", row.resource}, {"price", row.price}});
    if (row.frames) binding.back()["weighted_fps"] = *row.frames;
  }
  Json reasons = Json::array();
  for (const scheduler::Reason& reason : plan.reasons) {
    reasons.push_back({{"task", reason.task.empty() ? Json() : Json(reason.task)}, {"what", reason.what}});
  }
  Json json;
  json["status"] = to_string(plan.status);
  json["policy"] = plan.policy;
  json["objective"] = to_string(plan.objective);
  json["objective_value"] = number(plan.objective_value);
  json["bound"] = number(plan.bound);
  json["gap"] = number(plan.gap);
  json["loss"] = std::move(loss);
  json["loss_gap"] = number(plan.loss_gap);
  json["solve_seconds"] = number(options.solve_time);
  json["tasks"] = tasks_json(snapshot, plan);
  json["totals"] = {{"time_share", by_processor(snapshot, plan.totals.time_share)},
                    {"memory_bytes", number(plan.totals.memory)},
                    {"energy_joules_per_second", number(plan.totals.energy_per_second)},
                    {"peak_power_watts", number(plan.totals.peak_power)},
                    {"lost_fps", plan.totals.lost.value()}};
  if (!plan.totals.device_memory.empty()) {
    Json memories = Json::object();
    const std::vector<scheduler::DeviceMemory> names = scheduler::device_memories(snapshot);
    for (std::size_t m = 0; m < std::min(names.size(), plan.totals.device_memory.size()); ++m) {
      memories[names[m].name] = number(plan.totals.device_memory[m]);
    }
    json["totals"]["memories_bytes"] = std::move(memories);
  }
  json["binding"] = std::move(binding);
  json["violated_limits"] = plan.violated_limits;
  json["reasons"] = std::move(reasons);
  json["relaxations"] = to_json(plan.relaxations);
  json["fallback"] = plan.fallback ? to_json(snapshot, *plan.fallback) : Json();
  if (options.considered) json["considered"] = considered_json(plan);
  return json;
}

Status apply_running(const std::filesystem::path& plan_file, scheduler::Snapshot& snapshot) {
  JsonReport report(plan_file.string());
  const std::optional<JsonValue> document = text::read_json_file(plan_file, report);
  if (!document) return report.errors();
  JsonAt plan{&*document, ""};
  const JsonValue* fallback = plan->find("fallback");
  if (fallback != nullptr && fallback->is_object()) plan = plan.member("fallback", *fallback);
  {
    ObjectReader reader(plan, report);
    reader.accept_all();
    if (const auto tasks = reader.require("tasks")) {
      for (const JsonAt& task : text::read_list(*tasks, report)) apply_task(task, snapshot, report);
    }
  }
  if (!report.empty()) return report.errors();
  return Done{};
}

}  // namespace saccade::service
