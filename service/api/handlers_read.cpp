#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "service/api/handlers.hpp"
#include "service/api/infer_answer.hpp"
#include "service/api/problem.hpp"
#include "text/strict_json.hpp"

namespace saccade::service {
namespace {

using Json = nlohmann::ordered_json;

Response no_task(const std::string& id) { return problem(404, "there is no task " + text::in_quotes(id)); }

// With the member that clients of KServe v2 expect.
Response no_model(const std::string& id) {
  return infer_problem(404, "there is no task " + text::in_quotes(id));
}

Response plain(int status, std::string body) {
  Response response{status, "text/plain; charset=utf-8"};
  response.body = std::move(body);
  return response;
}

Response no_version(const std::string& version) {
  return infer_problem(404, "there is no version " + text::in_quotes(version) + " of this task");
}

// Empty: none is addressed.
bool has_version(const NetworkFacts& facts, const std::string& version) {
  return version.empty() ||
         std::find(facts.versions.begin(), facts.versions.end(), version) != facts.versions.end();
}

// 503: not ready.
Response with_status(Response response, bool ready) {
  response.status = ready ? 200 : 503;
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
  if (readiness.ready) return plain(200, text + "ready\n");
  return plain(503, text + "not ready" + (readiness.reason.empty() ? "" : ": " + readiness.reason) + "\n");
}

Response handle_metrics(ServiceModel& model, const Call&) {
  Response response{200, kMetricsType};
  response.body = model.fleet() != nullptr ? model.fleet()->fleet_metrics() : metrics_text(model.metrics());
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

Response handle_server_live(ServiceModel&, const Call&) { return json_response("{\"live\": true}\n"); }

Response handle_server_ready(ServiceModel& model, const Call&) {
  const bool ready = model.readiness().ready;
  return with_status(json_response(Json{{"ready", ready}}.dump() + "\n"), ready);
}

Response handle_network(ServiceModel& model, const Call& call) {
  const std::optional<NetworkFacts> facts = model.network(call.id);
  if (!facts) return no_model(call.id);
  if (!has_version(*facts, call.version)) return no_version(call.version);
  const Json json = {{"name", call.id},
                     {"versions", facts->versions},
                     {"platform", facts->platform},
                     {"inputs", tensors(facts->inputs)},
                     {"outputs", tensors(facts->outputs)}};
  return json_response(json.dump(1) + "\n");
}

Response handle_network_ready(ServiceModel& model, const Call& call) {
  const std::optional<NetworkFacts> facts = model.network(call.id);
  if (!facts) return no_model(call.id);
  if (!has_version(*facts, call.version)) return no_version(call.version);
  const bool ready = !facts->serving.empty() && (call.version.empty() || call.version == facts->serving);
  return with_status(json_response(Json{{"name", call.id}, {"ready", ready}}.dump() + "\n"), ready);
}

}  // namespace saccade::service
