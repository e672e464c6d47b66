// The handlers of the API's table. A handler sees a request that was admitted: valid method, known query,
// JSON if there is a body, an id if the path has one.
// Threads: those of the model. Errors: every failure is a Response.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "service/api/message.hpp"
#include "service/api/service_model.hpp"

namespace saccade::service {

struct Call {
  Request* request = nullptr;  // a handler may take its body
  std::string id;              // of the task in the path; any text
  std::string version = {};    // of its network in the path; empty: not given
  std::map<std::string, std::string> query;
  bool admin = true;  // may see passwords
};

[[nodiscard]] Response json_response(std::string body);

// --- the dashboard
[[nodiscard]] Response dashboard_response(std::size_t file);                // of dashboard_files()
[[nodiscard]] Response handle_page(ServiceModel& model, const Call& call);  // of a box, or of a planner
template <std::size_t kFile>
[[nodiscard]] Response handle_dashboard(ServiceModel&, const Call&) {
  return dashboard_response(kFile);
}

// --- state
[[nodiscard]] Response handle_live(ServiceModel& model, const Call& call);
[[nodiscard]] Response handle_ready(ServiceModel& model, const Call& call);
[[nodiscard]] Response handle_metrics(ServiceModel& model, const Call& call);
[[nodiscard]] Response handle_task(ServiceModel& model, const Call& call);
[[nodiscard]] Response handle_thumbnail(ServiceModel& model, const Call& call);
[[nodiscard]] Response handle_results(ServiceModel& model, const Call& call);
[[nodiscard]] Response handle_result(ServiceModel& model, const Call& call);
[[nodiscard]] Response handle_snapshot(ServiceModel& model, const Call& call);
[[nodiscard]] Response handle_events(ServiceModel& model, const Call& call);
[[nodiscard]] Response handle_network(ServiceModel& model, const Call& call);
[[nodiscard]] Response handle_network_ready(ServiceModel& model, const Call& call);
[[nodiscard]] Response handle_server_live(ServiceModel& model, const Call& call);  // of KServe
[[nodiscard]] Response handle_server_ready(ServiceModel& model, const Call& call);
template <Document kWhich>
[[nodiscard]] Response handle_document(ServiceModel& model, const Call&) {
  return json_response(model.document(kWhich));
}

// A long one: its text is made while the server's thread answers others.
template <Document kWhich>
[[nodiscard]] Response handle_long_document(ServiceModel& model, const Call&) {
  Response response;
  response.later = [make = model.gather(kWhich)](const Response::Deliver& deliver) {
    deliver([text = make()]() mutable { return json_response(std::move(text)); });
  };
  response.worker = Response::Worker::texts;
  return response;
}

// --- frames that clients send
[[nodiscard]] Response handle_infer(ServiceModel& model, const Call& call);

// --- configuration
[[nodiscard]] Response handle_config(ServiceModel& model, const Call& call);
[[nodiscard]] Response handle_replace(ServiceModel& model, const Call& call);
[[nodiscard]] Response handle_patch(ServiceModel& model, const Call& call);
[[nodiscard]] Response handle_validate(ServiceModel& model, const Call& call);
[[nodiscard]] Response handle_reload(ServiceModel& model, const Call& call);
[[nodiscard]] Response handle_patch_task(ServiceModel& model, const Call& call);
[[nodiscard]] Response handle_limits(ServiceModel& model, const Call& call);
[[nodiscard]] Response handle_objective(ServiceModel& model, const Call& call);
[[nodiscard]] Response handle_dry_run(ServiceModel& model, const Call& call);

}  // namespace saccade::service
