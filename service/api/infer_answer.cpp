#include "service/api/infer_answer.hpp"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "base/check.hpp"
#include "service/api/infer_outputs.hpp"
#include "service/api/problem.hpp"
#include "text/strict_json.hpp"

namespace saccade::service {
namespace {

using Json = nlohmann::ordered_json;

std::string json_text(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <class Number>
void append_bytes(const std::vector<Number>& numbers, std::string& bytes) {
  if (numbers.empty()) return;  // no objects
  const std::size_t before = bytes.size();
  bytes.resize(before + numbers.size() * sizeof(Number));
  std::memcpy(bytes.data() + before, numbers.data(), numbers.size() * sizeof(Number));
}

// Strings are preceded by their lengths.
std::string bytes_of_tensor(const TensorData& data) {
  std::string bytes;
  if (const auto* const texts = std::get_if<std::vector<std::string>>(&data)) {
    for (const std::string& text : *texts) {
      append_bytes(std::vector<std::uint32_t>{static_cast<std::uint32_t>(text.size())}, bytes);
      bytes += text;
    }
    return bytes;
  }
  std::visit(
      [&]<class Element>(const std::vector<Element>& numbers) {
        if constexpr (!std::is_same_v<Element, std::string>) append_bytes(numbers, bytes);
      },
      data);
  return bytes;
}

// As JSON, or as JSON about bytes that are appended.
Json tensor_json(const OutputTensor& output, bool binary, std::string& appended) {
  Json json = {{"name", output.name}, {"datatype", datatype_of(output.data)}, {"shape", output.shape}};
  if (!binary) {
    std::visit([&](const auto& elements) { json["data"] = elements; }, output.data);
    return json;
  }
  const std::string bytes = bytes_of_tensor(output.data);
  json["parameters"] = {{"binary_data_size", bytes.size()}};
  appended += bytes;
  return json;
}

// Those that were asked for, in that order; a network whose outputs were not known then gives all it has.
Json outputs_json(const Asked& asked, const runtime::FrameAnswer& answer, std::string& appended) {
  const std::vector<OutputTensor> outputs = outputs_of(asked.facts, answer);
  Json list = Json::array();
  if (asked.facts.outputs.empty()) {
    for (const OutputTensor& output : outputs) list.push_back(tensor_json(output, false, appended));
  }
  for (const WantedOutput& wanted : asked.outputs) {
    const auto found = std::find_if(outputs.begin(), outputs.end(),
                                    [&](const OutputTensor& output) { return output.name == wanted.name; });
    if (found != outputs.end()) list.push_back(tensor_json(*found, wanted.binary, appended));
  }
  return list;
}

Response with_retry(Response response) {
  response.headers.emplace_back("Retry-After", "1");
  return response;
}

Response dropped(runtime::DropReason reason) {
  Response response = problem(503, std::string("the frame was dropped: ") + to_string(reason), {},
                              {{"reason", json_text(to_string(reason))},
                               {"error", json_text(std::string("dropped: ") + to_string(reason))}});
  const bool for_now = reason == runtime::DropReason::over_quota || reason == runtime::DropReason::no_engine;
  return for_now ? with_retry(std::move(response)) : response;
}

}  // namespace

Response infer_problem(int status, const std::string& detail, const Errors& errors) {
  return problem(status, detail, errors, {{"error", json_text(detail)}});
}

Response wrong_version(const std::string& asked, const std::string& serving) {
  return infer_problem(409,
                       "version " + text::in_quotes(asked) + " does not serve now, " +
                           (serving.empty() ? "and no other does" : text::in_quotes(serving) + " does"),
                       {{"#", "which variant serves is what the plan says",
                         "leave the version out: the answer names the variant that gave it"}});
}

Response served_elsewhere(const MovedTask& moved, const std::string& target) {
  Response response =
      infer_problem(409, "the task was moved: the box " + text::in_quotes(moved.box) + " serves it",
                    {{"#", "this box does not serve the task any more",
                      moved.api.empty() ? "a planner of the fleet knows the box: GET /v1/fleet/boxes"
                                        : "that box is reached at " + moved.api}});
  response.headers.emplace_back("Saccade-Box", moved.box);
  if (!moved.api.empty()) response.headers.emplace_back("Location", moved.api + target);
  return response;
}

Response infer_refusal(runtime::PushVerdict verdict) {
  switch (verdict) {
    case runtime::PushVerdict::full:
      return with_retry(infer_problem(429, "as many frames of this task wait as may"));
    case runtime::PushVerdict::not_pushed:
      return infer_problem(409, "the task's frames come from a source of its own",
                           {{"#", "the task takes no frames", "give it \"source\": {\"type\": \"push\"}"}});
    case runtime::PushVerdict::starting:
      return with_retry(infer_problem(503, "the service is starting"));
    case runtime::PushVerdict::ending:
      return dropped(runtime::DropReason::shutdown);
    case runtime::PushVerdict::accepted:
      break;
  }
  check_failed("a verdict that refuses", __FILE__, __LINE__);
}

Response infer_response(const Asked& asked, const runtime::FrameAnswer& answer) {
  if (answer.dropped) return dropped(*answer.dropped);
  const std::string& variant = asked.facts.versions.at(answer.variant);
  if (!asked.version.empty() && asked.version != variant) return wrong_version(asked.version, variant);
  Json json = {{"model_name", asked.task}, {"model_version", variant}};
  if (!asked.id.empty()) json["id"] = asked.id;
  json["parameters"] = {{"variant", variant},
                        {"processor", asked.facts.processors.at(answer.processor)},
                        {"latency_seconds", to_seconds(answer.latency).value()},
                        {"inference_seconds", to_seconds(answer.inference).value()}};
  std::string bytes;
  json["outputs"] = outputs_json(asked, answer, bytes);
  Response response;
  response.headers.emplace_back("Cache-Control", "no-store");
  response.body = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  const bool binary = std::any_of(asked.outputs.begin(), asked.outputs.end(),
                                  [](const WantedOutput& wanted) { return wanted.binary; });
  if (binary) {
    response.content_type = "application/octet-stream";
    response.headers.emplace_back("Inference-Header-Content-Length", std::to_string(response.body.size()));
    response.body += bytes;
  } else {
    response.body += "\n";
  }
  return response;
}

}  // namespace saccade::service
