#include "service/live/status_json.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "service/live/plan_json.hpp"
#include "service/live/power_limits.hpp"
#include "vision/decode/objects.hpp"

namespace saccade::service {
namespace {

using Json = nlohmann::ordered_json;

// A status has some thousand members, and its client waits for it. Json's own initializer list takes five
// times as long as this, and an object that grows beyond its room copies all that is in it.
constexpr std::size_t kMore = 4;  // members that may be added

struct Member {
  const char* name;
  Json value;
};
template <std::size_t kMembers>
Json object_of(Member (&&members)[kMembers]) {
  Json::object_t object;
  object.reserve(kMembers + kMore);
  for (Member& member : members) object.emplace_back(member.name, std::move(member.value));
  return object;
}

Json frames_json(const runtime::TaskFrames& frames) {
  Json::object_t dropped;
  dropped.reserve(runtime::kDropReasons);
  for (std::size_t i = 0; i < runtime::kDropReasons; ++i) {
    dropped.emplace_back(to_string(static_cast<runtime::DropReason>(i)), frames.dropped[i]);
  }
  return object_of({{"demanded", frames.demanded},
                    {"granted", frames.granted},
                    {"received", frames.received},
                    {"processed", frames.processed},
                    {"rejected", frames.rejected},
                    {"in_flight", frames.in_flight},
                    {"dropped", std::move(dropped)}});
}

Json latency_json(const runtime::LatencyHistogram& latency) {
  if (latency.count() == 0) return {};
  const auto seconds = [](const std::optional<Duration>& time) { return to_seconds(*time).value(); };
  return object_of({{"p50", seconds(latency.quantile(0.5))},
                    {"p99", seconds(latency.quantile(0.99))},
                    {"max", seconds(latency.max())}});
}

// Of a processed frame, on average.
Json parts_json(const runtime::TaskFrames& frames) {
  if (frames.processed == 0) return {};
  const auto mean = [&](Duration sum) {
    return to_seconds(sum).value() / static_cast<double>(frames.processed);
  };
  return object_of({{"prepare", mean(frames.worked.prepare)},
                    {"infer", mean(frames.worked.infer)},
                    {"decode", mean(frames.worked.decode)}});
}

Json switches_json(const std::vector<runtime::SwitchSummary>& switches) {
  const auto name = [](const std::optional<VariantId>& id) { return id ? Json(id->str()) : Json(); };
  Json list = Json::array();
  for (const runtime::SwitchSummary& each : switches) {
    list.push_back({{"at_seconds", each.at.value()},
                    {"task", each.task.str()},
                    {"from", name(each.from)},
                    {"to", name(each.to)},
                    {"load_seconds", each.load.value()},
                    {"warm_seconds", each.warm.value()},
                    {"swap_seconds", each.swap.value()},
                    {"frames_lost", each.frames_lost}});
  }
  return list;
}

Json processors_json(const runtime::RunStatus& status) {
  Json list = Json::array();
  for (std::size_t p = 0; p < status.busy.size(); ++p) {
    const scheduler::Processor& processor = status.wanted->processors.at(p);
    list.push_back({{"id", processor.id.str()},
                    {"kind", processor.kind.str().empty() ? processor.id.str() : processor.kind.str()},
                    {"busy_seconds", to_seconds(status.busy[p]).value()},
                    {"time_budget", status.budget(p)},
                    {"guard_seconds", status.guard(p).value()},
                    {"decoding_seconds", p < status.decoding.size() ? status.decoding[p] : 0.0},
                    {"correction", status.corrections.at(p)}});
    if (const double slowdown = runtime::slowdown_of(status.slowdowns, p); slowdown > 1.0)
      list.back()["emulated_slowdown"] = slowdown;
  }
  return list;
}

// Since when, on the run's own time; the start where that was before it.
double since(const ShownRule& rule, Duration at) {
  return std::max(0.0, to_seconds(at).value() - rule.for_time.value());
}

Json capture_json(const runtime::CaptureFacts& capture) {
  return object_of({{"processor_seconds", to_seconds(capture.processor_time).value()},
                    {"decoded", capture.decoded},
                    {"skipped", capture.skipped},
                    {"reconnects", capture.reconnects},
                    {"last_frame_age_seconds", capture.age ? Json(to_seconds(*capture.age).value()) : Json()},
                    {"sent_pixels", capture.sent ? Json(*capture.sent) : Json()},
                    {"used_pixels", capture.used ? Json(*capture.used) : Json()}});
}

}  // namespace

Json to_json(const runtime::TaskStatus& task, const scheduler::Task* wanted) {
  const profiles::Variant* serving = task.variant ? &task.profiles->variants.at(*task.variant) : nullptr;
  const double best = task.profiles->best_accuracy();
  Json json =
      object_of({{"id", task.id.str()},
                 {"network", task.profiles->network},
                 {"variant", serving ? Json(serving->id.str()) : Json()},
                 {"standby", !task.standby ? Json()
                             : task.spare  ? Json("ready")
                                           : Json("waiting")},
                 {"demanded_fps", task.demanded.value()},
                 {"granted_fps", task.granted.value()},
                 {"rate_fps", task.rate.value()},
                 {"accuracy", serving ? Json(serving->accuracy) : Json()},
                 {"relative_accuracy", serving && best > 0.0 ? Json(serving->accuracy / best) : Json()},
                 {"metric", task.profiles->interface.metric},
                 {"live_map", task.live_precision ? Json(task.live_precision->map) : Json()},
                 {"live_map50", task.live_precision ? Json(task.live_precision->map50) : Json()},
                 {"accuracy_floor", wanted ? number(accuracy_floor(*wanted)) : Json()},
                 {"source_connected", task.source_connected},
                 {"source_trouble", task.source_trouble.empty() ? Json() : Json(task.source_trouble)},
                 {"capture", task.capture ? capture_json(*task.capture) : Json()},
                 {"frames", frames_json(task.frames)},
                 {"latency_seconds", latency_json(task.frames.latency)},
                 {"age_seconds", latency_json(task.frames.age)},
                 {"frame_time_parts_seconds", parts_json(task.frames)}});
  if (serving && !serving->staging.empty()) {
    Json& stages = json["stages"] = Json::array();
    for (const profiles::Stage& stage : serving->staging.stages) stages.push_back(stage.places());
  }
  return json;
}

std::string label_of(const profiles::ProfileSet& set, int number) {
  const auto index = static_cast<std::size_t>(number);
  return index < set.labels.size() ? set.labels[index] : std::to_string(number);
}

Json to_json(const runtime::LatestAnswer& answer, const profiles::ProfileSet& set) {
  Json json = Json::object();
  // Since the answer the task may have been given another set.
  if (answer.variant < set.variants.size()) json["variant"] = set.variants[answer.variant].id.str();
  if (set.interface.task == profiles::NetworkTask::classify) {
    Json& regions = json["regions"] = Json::array();
    for (const int number : answer.classes)
      regions.push_back({{"label", label_of(set, number)}, {"class", number}});
  }
  if (set.interface.task == profiles::NetworkTask::detect) {
    Json& objects = json["objects"] = Json::array();
    for (const vision::Object& object : answer.objects) {
      const vision::Box& box = object.box;
      objects.push_back({{"label", label_of(set, object.label)},
                         {"class", object.label},
                         {"score", object.score},
                         {"box", {box.x, box.y, box.width, box.height}},
                         {"region", object.region}});
    }
  }
  return json;
}

Json active_rules(const std::vector<ShownRule>& rules, const std::string& task, Duration at) {
  Json list = Json::array();
  for (const ShownRule& rule : rules) {
    if (!rule.state.active || rule.state.task != task) continue;
    list.push_back({{"id", rule.state.rule},
                    {"reason", rule.state.reason},
                    {"since_seconds", since(rule, at)},
                    {"refused", rule.refused.empty() ? Json() : Json(rule.refused)}});
  }
  return list;
}

Json to_json(const std::vector<ShownRule>& rules, Duration at) {
  Json list = Json::array();
  for (const ShownRule& rule : rules) {
    list.push_back({{"id", rule.state.rule},
                    {"task", rule.state.task},
                    {"reason", rule.state.reason},
                    {"active", rule.state.active},
                    {"frozen", rule.state.frozen},
                    {"since_seconds", rule.state.since ? Json(since(rule, at)) : Json()},
                    {"changes", rule.state.turns},
                    {"refused", rule.refused.empty() ? Json() : Json(rule.refused)}});
  }
  return list;
}

Json tasks_json(const runtime::RunStatus& status, const std::vector<ShownRule>& rules) {
  Json list = Json::array();
  for (const runtime::TaskStatus& task : status.tasks) {
    Json json = to_json(task, wanted_task(status, task.id));
    json["active_rules"] = active_rules(rules, task.id.str(), status.at);
    list.push_back(std::move(json));
  }
  return list;
}

Json to_json(const runtime::RunStatus& status, const std::vector<ShownRule>& rules) {
  const scheduler::Plan* plan = status.plan.get();
  const auto& limit = status.wanted->limits.memory;
  Json json = Json::object();
  json.get_ref<Json::object_t&>().reserve(20);
  json["at_seconds"] = to_seconds(status.at).value();
  json["generation"] = status.generation;
  json["settled"] = status.settled;
  json["objective"] = to_string(status.wanted->objective);
  json["plan"] = plan ? Json{{"generation", plan->generation},
                             {"status", to_string(plan->status)},
                             {"policy", plan->policy}}
                      : Json();
  json["tasks"] = tasks_json(status, rules);
  json["processors"] = processors_json(status);
  json["memory"] = {{"used_bytes", status.reserved.value()},
                    {"peak_bytes", status.reserved_peak.value()},
                    {"limit_bytes", limit ? Json(limit->value()) : Json()}};
  if (!status.memories.empty()) {
    Json memories = Json::object();
    for (const runtime::MemoryUse& memory : status.memories) {
      memories[memory.name] = {{"used_bytes", memory.reserved.value()},
                               {"peak_bytes", memory.peak.value()},
                               {"limit_bytes", memory.limit ? Json(memory.limit->value()) : Json()}};
    }
    json["memory"]["devices"] = std::move(memories);
  }
  const scheduler::Limits& limits = status.wanted->limits;
  const auto above = above_power_limit(status.energy, limits);
  json["energy"] = status.energy ? Json{{"joules", status.energy->total.value()},
                                        {"power_watts", number(status.energy->power)},
                                        {"source", to_string(status.energy->source)},
                                        {"limit_joules_per_second", number(limits.energy_per_second)},
                                        {"peak_limit_watts", number(limits.peak_power)},
                                        {"above_limit", above ? Json(*above) : Json()}}
                                 : Json();
  json["switches"] = status.switches;
  json["last_switches"] = switches_json(status.last_switches);
  return json;
}

Json to_json(const std::vector<runtime::Temperature>& temperatures) {
  Json list = Json::array();
  for (const runtime::Temperature& each : temperatures) {
    const auto& critical = each.critical_celsius;
    list.push_back({{"sensor", each.sensor},
                    {"celsius", each.celsius},
                    {"critical_celsius", critical ? Json(*critical) : Json()}});
  }
  return list;
}

Json to_json(const std::vector<results::DeliveryAccount>& sinks) {
  Json list = Json::array();
  for (const results::DeliveryAccount& sink : sinks) {
    list.push_back({{"id", sink.id},
                    {"type", sink.type},
                    {"connected", sink.connected},
                    {"fault", sink.fault.empty() ? Json() : Json(sink.fault)},
                    {"produced", sink.produced},
                    {"filtered", sink.filtered},
                    {"sent", sink.sent},
                    {"dropped", sink.dropped},
                    {"failed", sink.failed},
                    {"waiting", sink.waiting}});
    if (!sink.readers) continue;
    list.back()["readers"] = {{"connected", sink.readers->connected}, {"lost", sink.readers->lost}};
  }
  return list;
}

Json models_json(const runtime::RunOutline& run) {
  Json list = Json::array();
  for (const runtime::TaskOutline& task : run.tasks) {
    Json variants = Json::array();
    for (std::size_t i = 0; i < task.profiles->variants.size(); ++i) {
      const profiles::Variant& variant = task.profiles->variants[i];
      variants.push_back({{"id", variant.id.str()},
                          {"accuracy", variant.accuracy},
                          {"memory_bytes", variant.memory ? Json(variant.memory->value()) : Json()},
                          {"serving", task.variant == i}});
    }
    list.push_back({{"task", task.id.str()},
                    {"network", task.profiles->network},
                    {"labels", task.profiles->labels},
                    {"variants", std::move(variants)}});
  }
  return list;
}

Json to_json(const BookedPlan& booked, const runtime::RunOutline& run) {
  const Json plan = to_json(booked.snapshot, booked.plan, {booked.solve_time, false});
  Json json = {{"generation", booked.plan.generation}, {"at_seconds", to_seconds(booked.at).value()}};
  json.update(plan);
  const auto gone = [&](const Json& task) {
    const auto& id = task.at("id").get_ref<const std::string&>();
    return std::none_of(run.tasks.begin(), run.tasks.end(),
                        [&](const auto& known) { return known.id.str() == id; });
  };
  for (Json* tasks : {&json["tasks"], json["fallback"].is_null() ? nullptr : &json["fallback"]["tasks"]}) {
    if (tasks == nullptr) continue;
    Json kept = Json::array();
    for (const Json& task : *tasks) {
      if (!gone(task)) kept.push_back(task);
    }
    *tasks = std::move(kept);
  }
  return json;
}

}  // namespace saccade::service
