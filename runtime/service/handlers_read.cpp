#include <charconv>
#include <nlohmann/json.hpp>

#include "profiles/strict_json.hpp"
#include "runtime/service/handlers.hpp"
#include "runtime/service/problem.hpp"

namespace saccade::runtime {
namespace {

using Json = nlohmann::ordered_json;

Response no_task(const std::string& id) {
  return problem(404, "there is no task " + profiles::in_quotes(id));
}

Response plain(int status, std::string body) {
  Response response{status, "text/plain; charset=utf-8"};
  response.body = std::move(body);
  return response;
}

Json tensors(const std::vector<NetworkTensor>& list) {
  Json json = Json::array();
  for (const NetworkTensor& tensor : list) {
    json.push_back({{"name", tensor.name}, {"datatype", tensor.datatype}, {"shape", tensor.shape}});
  }
  return json;
}

}  // namespace

Response json_response(std::string body) {
  Response response;
  response.headers.emplace_back("Cache-Control", "no-store");
  response.body = std::move(body);
  return response;
}

Response handle_live(ServiceModel&, const Call&) { return plain(200, "ok\n"); }

Response handle_ready(ServiceModel& model, const Call& call) {
  const Readiness readiness = model.readiness();
  std::string text;
  const auto verbose = call.query.find("verbose");
  if (verbose != call.query.end() && verbose->second != "0") {
    for (const Readiness::Check& check : readiness.checks) {
      text += (check.ok ? "[+] " : "[-] ") + check.name + (check.detail.empty() ? "" : ": " + check.detail) +
              "\n";
    }
  }
  return plain(readiness.ready ? 200 : 503, text + (readiness.ready ? "ready\n" : "not ready\n"));
}

Response handle_metrics(ServiceModel& model, const Call&) {
  Response response{200, kMetricsType};
  response.body = metrics_text(model.metrics());
  return response;
}

Response handle_task(ServiceModel& model, const Call& call) {
  std::optional<std::string> task = model.task(call.id);
  return task ? json_response(*std::move(task)) : no_task(call.id);
}

Response handle_thumbnail(ServiceModel& model, const Call& call) {
  std::optional<Thumbnail> thumbnail = model.thumbnail(call.id);
  if (!thumbnail) return no_task(call.id);
  Response response{thumbnail->jpeg.empty() ? 204 : 200, thumbnail->jpeg.empty() ? "" : "image/jpeg"};
  response.headers = {{"Cache-Control", "no-store"},
                      {"Saccade-Labels", Json(thumbnail->labels).dump(-1, ' ', true)}};
  response.body = std::move(thumbnail->jpeg);
  return response;
}

Response handle_events(ServiceModel&, const Call& call) {
  // Without a number the stream begins with what the feed still has.
  std::uint64_t after = 0;
  const std::string& last = call.request->last_event_id;
  const char* end = last.data() + last.size();
  if (!last.empty()) {
    const auto [stop, failure] = std::from_chars(last.data(), end, after);
    if (failure != std::errc{} || stop != end)
      return problem(400, "Last-Event-ID is not a number of an event");
  }
  Response response{200, "text/event-stream"};
  response.headers.emplace_back("Cache-Control", "no-store");
  response.events_after = after;
  return response;
}

Response handle_network(ServiceModel& model, const Call& call) {
  const std::optional<NetworkFacts> facts = model.network(call.id);
  if (!facts) return no_task(call.id);
  const Json json = {{"name", call.id},
                     {"versions", facts->versions},
                     {"platform", facts->platform},
                     {"inputs", tensors(facts->inputs)},
                     {"outputs", tensors(facts->outputs)}};
  return json_response(json.dump(1) + "\n");
}

Response handle_network_ready(ServiceModel& model, const Call& call) {
  const std::optional<NetworkFacts> facts = model.network(call.id);
  if (!facts) return no_task(call.id);
  if (!facts->ready) return problem(503, "no engine serves the task");
  return json_response(Json{{"name", call.id}, {"ready", true}}.dump() + "\n");
}

}  // namespace saccade::runtime
