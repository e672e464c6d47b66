#include "service/fleet/camera_task.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace saccade::service {
namespace {

using text::JsonValue;

// What is the fleet's business alone.
constexpr std::array<std::string_view, 4> kOfFleet = {"where", "exclusive", "serving", "format"};

}  // namespace

Result<JsonValue> task_of_camera(const std::string& id, const std::string& document,
                                 const BoxNetworks& networks) {
  text::JsonReport report("camera " + id);
  std::optional<JsonValue> task = text::parse_json(document, report);
  if (!task || !report.empty()) return report.errors();
  if (!task->is_object()) return Error{id, "is no object", ""};
  const JsonValue* named = task->find("id");
  if (named != nullptr && named->string != id) return Error{id, "is the document of another camera", ""};
  if (named == nullptr) {
    JsonValue name;
    name.kind = JsonValue::Kind::string;
    name.string = id;
    task->members.push_back({"id", std::move(name)});
  }
  const JsonValue* network = task->find("network");
  const auto set = networks.find(network == nullptr ? std::string() : network->string);
  if (set == networks.end()) return Error{id, "the box has no profile set of its network", ""};
  std::erase_if(task->members, [](const text::JsonMember& member) {
    return std::find(kOfFleet.begin(), kOfFleet.end(), member.key) != kOfFleet.end();
  });
  for (text::JsonMember& member : task->members) {
    if (member.key != "network") continue;
    member.key = "profiles";
    member.value.string = set->second.string();
  }
  return *std::move(task);
}

Result<JsonValue> task_of_standby(const std::string& id, const std::string& document,
                                  const BoxNetworks& networks) {
  Result<JsonValue> task = task_of_camera(id, document, networks);
  if (!task) return task;
  const auto set = [&](const char* key, JsonValue value) {
    std::erase_if(task.value().members, [&](const text::JsonMember& member) { return member.key == key; });
    task.value().members.push_back({key, std::move(value)});
  };
  JsonValue none;
  none.kind = JsonValue::Kind::number;
  JsonValue yes;
  yes.kind = JsonValue::Kind::boolean;
  yes.boolean = true;
  JsonValue type;
  type.kind = JsonValue::Kind::string;
  type.string = "push";
  JsonValue source;
  source.kind = JsonValue::Kind::object;
  source.members.push_back({"type", std::move(type)});
  set("fps", std::move(none));
  set("source", std::move(source));
  set("standby", std::move(yes));
  return task;
}

}  // namespace saccade::service
