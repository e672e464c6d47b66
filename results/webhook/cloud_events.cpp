#include "results/webhook/cloud_events.hpp"

#include <cstdint>
#include <random>

#include "results/record.hpp"

namespace saccade::results {
namespace {

constexpr const char* kEventType = "saccade.result.v1";

// Node and task are ids: nothing in them has to be escaped.
std::string source_of(const Result& result, const EventSource& source) {
  return "/saccade/" + source.node + "/task/" + result.task;
}

}  // namespace

std::string event_id(const Result& result, const EventSource& source) {
  return source.node + "-" + source.boot + "-" + result.task + "-" + std::to_string(result.frame);
}

std::string random_boot() {
  std::random_device random;
  std::string boot;
  for (int i = 0; i < 12; ++i) boot += "0123456789abcdef"[random() % 16];
  return boot;
}

HttpMessage single_event(const Result& result, const EventSource& source) {
  return {{"Content-Type: application/json", "ce-specversion: 1.0", "ce-id: " + event_id(result, source),
           "ce-source: " + source_of(result, source), std::string("ce-type: ") + kEventType,
           "ce-time: " + utc_text(result.captured_at)},
          record_of(result, source.node)};
}

HttpMessage batch_of_events(const std::vector<std::shared_ptr<const Result>>& results,
                            const EventSource& source) {
  HttpMessage message{{"Content-Type: application/cloudevents-batch+json"}, "["};
  for (const std::shared_ptr<const Result>& result : results) {
    if (message.body.size() > 1) message.body += ",\n";
    message.body += R"({"specversion":"1.0","id":")" + event_id(*result, source) + R"(","source":")" +
                    source_of(*result, source) + R"(","type":")" + kEventType + R"(","time":")" +
                    utc_text(result->captured_at) + R"(","datacontenttype":"application/json","data":)" +
                    record_of(*result, source.node) + "}";
  }
  message.body += "]";
  return message;
}

}  // namespace saccade::results
