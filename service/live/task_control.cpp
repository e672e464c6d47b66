#include "service/live/task_control.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "service/live/change_requests.hpp"
#include "text/strict_json.hpp"

namespace saccade::service {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 8> kDemand = {"fps",
                                                     "weight",
                                                     "priority",
                                                     "min_fps",
                                                     "min_accuracy",
                                                     "min_relative_accuracy",
                                                     "max_frame_time_seconds",
                                                     "max_latency_seconds"};

std::string answer_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string refusal(int status, const std::string& title, const Errors& errors = {}) {
  Json json{{"status", status}, {"title", title}};
  for (const Error& error : errors) {
    json["errors"].push_back({{"pointer", error.where}, {"detail", error.what}});
    if (!error.hint.empty()) json["errors"].back()["hint"] = error.hint;
  }
  return answer_text(json);
}

// What in the patch is no demand.
Errors other_keys(const Json& patch) {
  Errors errors;
  for (const auto& [key, value] : patch.items()) {
    if (std::find(kDemand.begin(), kDemand.end(), key) != kDemand.end()) continue;
    errors.push_back({"#/" + key, "cannot be changed through a broker",
                      "fps, min_fps, min_accuracy, min_relative_accuracy, max_frame_time_seconds, "
                      "max_latency_seconds, weight and priority can"});
  }
  return errors;
}

}  // namespace

std::string no_such_task(const std::string& task) {
  return refusal(404, "there is no task " + text::in_quotes(task));
}

std::string change_demand(ServiceConfig& config, const std::string& task, const std::string& patch) {
  const Json read = Json::parse(patch, nullptr, false);
  if (!read.is_object()) return refusal(400, R"(send a JSON object, as {"fps": 10})");
  if (const Errors others = other_keys(read); !others.empty())
    return refusal(403, "only what a task demands can be changed", others);
  bool known = false;
  config.look([&](const LiveConfig& live, Duration) { known = live.has_task(task); });
  if (!known) return no_such_task(task);
  const ChangeOutcome outcome = carry_out({.kind = Change::Kind::task, .text = patch, .task = task}, config);
  switch (outcome.kind) {
    case ChangeOutcome::Kind::accepted:
      return answer_text({{"status", 202}, {"generation", outcome.generation}});
    case ChangeOutcome::Kind::unavailable:
      return refusal(503, "the service is starting or ending and takes no changes");
    case ChangeOutcome::Kind::invalid:
    case ChangeOutcome::Kind::stale:  // only with a condition
      break;
  }
  return refusal(422, "the change was refused, nothing was changed", outcome.errors);
}

}  // namespace saccade::service
