#include "runtime/service/infer_answer.hpp"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/check.hpp"
#include "runtime/service/problem.hpp"

namespace saccade::runtime {
namespace {

using Json = nlohmann::ordered_json;

std::string json_text(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <class Number>
void append_bytes(const std::vector<Number>& numbers, std::string& bytes) {
  const std::size_t before = bytes.size();
  bytes.resize(before + numbers.size() * sizeof(Number));
  std::memcpy(bytes.data() + before, numbers.data(), numbers.size() * sizeof(Number));
}

// The outputs of one answer: each as JSON, or as JSON about bytes that follow.
class Outputs {
 public:
  Outputs(const Asked& asked, const FrameAnswer& answer) : asked_(asked) {
    const std::size_t regions = static_cast<std::size_t>(asked.facts.region_count);
    SACCADE_CHECK(regions > 0 && answer.logits.size() % regions == 0);
    const std::size_t classes = answer.logits.size() / regions;
    shape_ = {asked.facts.region_count};
    wide_ = {asked.facts.region_count, static_cast<std::int64_t>(classes)};
    logits_ = answer.logits;
    for (auto region = logits_.begin(); region != logits_.end();
         region += static_cast<std::ptrdiff_t>(classes)) {
      const auto best = std::max_element(region, region + static_cast<std::ptrdiff_t>(classes)) - region;
      const auto& labels = asked.facts.labels;
      const auto index = static_cast<std::size_t>(best);
      classes_.push_back(best);
      labels_.push_back(index < labels.size() ? labels[index] : std::to_string(best));
    }
  }

  Json json() {
    Json list = Json::array();
    for (const WantedOutput& wanted : asked_.outputs) list.push_back(output(wanted));
    return list;
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  Json output(const WantedOutput& wanted) {
    const bool label = wanted.name == "label";
    const bool number = wanted.name == "class";
    Json json = {{"name", wanted.name},
                 {"datatype", label    ? "BYTES"
                              : number ? "INT64"
                                       : "FP32"},
                 {"shape", label || number ? shape_ : wide_}};
    if (!wanted.binary) {
      json["data"] = label ? Json(labels_) : number ? Json(classes_) : Json(logits_);
      return json;
    }
    const std::size_t before = bytes_.size();
    if (label) {
      for (const std::string& text : labels_) {
        append_bytes(std::vector<std::uint32_t>{static_cast<std::uint32_t>(text.size())}, bytes_);
        bytes_ += text;
      }
    } else {
      number ? append_bytes(classes_, bytes_) : append_bytes(logits_, bytes_);
    }
    json["parameters"] = {{"binary_data_size", bytes_.size() - before}};
    return json;
  }

  const Asked& asked_;
  std::vector<std::int64_t> shape_;
  std::vector<std::int64_t> wide_;
  std::vector<std::string> labels_;
  std::vector<std::int64_t> classes_;
  std::vector<float> logits_;
  std::string bytes_;
};

Response with_retry(Response response) {
  response.headers.emplace_back("Retry-After", "1");
  return response;
}

Response dropped(DropReason reason) {
  Response response = problem(503, std::string("the frame was dropped: ") + to_string(reason), {},
                              {{"reason", json_text(to_string(reason))},
                               {"error", json_text(std::string("dropped: ") + to_string(reason))}});
  const bool for_now = reason == DropReason::over_quota || reason == DropReason::no_engine;
  return for_now ? with_retry(std::move(response)) : response;
}

}  // namespace

Response infer_problem(int status, const std::string& detail, const Errors& errors) {
  return problem(status, detail, errors, {{"error", json_text(detail)}});
}

Response infer_refusal(PushVerdict verdict) {
  switch (verdict) {
    case PushVerdict::full:
      return with_retry(infer_problem(429, "as many frames of this task wait as may"));
    case PushVerdict::not_pushed:
      return infer_problem(409, "the task's frames come from a source of its own",
                           {{"#", "the task takes no frames", "give it \"source\": {\"type\": \"push\"}"}});
    case PushVerdict::starting:
      return with_retry(infer_problem(503, "the service is starting"));
    case PushVerdict::ending:
      return dropped(DropReason::shutdown);
    case PushVerdict::accepted:
      break;
  }
  check_failed("a verdict that refuses", __FILE__, __LINE__);
}

Response infer_response(const Asked& asked, const FrameAnswer& answer) {
  if (answer.dropped) return dropped(*answer.dropped);
  Outputs outputs(asked, answer);
  const std::string& variant = asked.facts.versions.at(answer.variant);
  Json json = {{"model_name", asked.task}, {"model_version", variant}};
  if (!asked.id.empty()) json["id"] = asked.id;
  json["parameters"] = {{"variant", variant},
                        {"processor", asked.facts.processors.at(answer.processor)},
                        {"latency_seconds", to_seconds(answer.latency).value()},
                        {"inference_seconds", to_seconds(answer.inference).value()}};
  json["outputs"] = outputs.json();
  Response response;
  response.headers.emplace_back("Cache-Control", "no-store");
  response.body = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (!outputs.bytes().empty()) {
    response.content_type = "application/octet-stream";
    response.headers.emplace_back("Inference-Header-Content-Length", std::to_string(response.body.size()));
    response.body += outputs.bytes();
  } else {
    response.body += "\n";
  }
  return response;
}

}  // namespace saccade::runtime
