#include "service/api/handlers_fleet.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "service/api/problem.hpp"
#include "text/strict_json.hpp"

namespace saccade::service {
namespace {

std::string what_was_written(const FleetOutcome& outcome) {
  return std::to_string(outcome.written) + " documents were written, the others not";
}

Response what_was_stale(const FleetOutcome& outcome, bool all) {
  if (!all) return problem(412, "the document is not the one that If-Match names");
  return problem(412, "the configuration of the fleet was changed by another client meanwhile: " +
                          (outcome.written == 0 ? "nothing was changed" : what_was_written(outcome)));
}

// `all`: of the configuration as a whole.
Response answer_of(const FleetOutcome& outcome, bool all, bool dry_run) {
  switch (outcome.kind) {
    case FleetOutcome::Kind::stale:
      return what_was_stale(outcome, all);
    case FleetOutcome::Kind::invalid:
      return problem(422, "the change was refused, nothing was changed", outcome.errors);
    case FleetOutcome::Kind::unavailable:
      return problem(503, "the store cannot be reached: " +
                              (outcome.written == 0 ? "nothing was changed" : what_was_written(outcome)));
    case FleetOutcome::Kind::unknown:
      return problem(503, "the store did not answer: the change may be made, or may be made yet");
    case FleetOutcome::Kind::accepted:
      break;
  }
  Response response =
      json_response(outcome.show ? outcome.show(outcome.revision)
                                 : nlohmann::ordered_json{{"revision", outcome.revision}}.dump() + "\n");
  response.status = dry_run ? 200 : 202;
  response.headers.emplace_back("ETag", "\"" + std::to_string(outcome.revision) + "\"");
  return response;
}

const char* kind_word(FleetKind kind) { return kind == FleetKind::box ? "box" : "camera"; }

// A document of the configuration is changed only by a client that says what it replaces. A pin is an order,
// and the configuration as a whole is compared with what the planner has read.
bool must_name_what_it_replaces(FleetKind kind) {
  return kind == FleetKind::camera || kind == FleetKind::box || kind == FleetKind::policy;
}

bool asks_for(const Call& call, const char* parameter) {
  const auto found = call.query.find(parameter);
  return found != call.query.end() && found->second != "0";
}

}  // namespace

Response fleet_document(ServiceModel& model, FleetDocument which) {
  return json_response(model.fleet()->fleet_document(which));
}

Response fleet_item(ServiceModel& model, const Call& call, FleetKind kind) {
  std::optional<FleetShown> shown = model.fleet()->fleet_item(kind, call.id);
  if (!shown) {
    return problem(404, std::string("there is no ") + kind_word(kind) + " " + text::in_quotes(call.id));
  }
  Response response = json_response(std::move(shown->text));
  if (!shown->etag.empty()) response.headers.emplace_back("ETag", shown->etag);
  return response;
}

Response fleet_change(ServiceModel& model, const Call& call, FleetKind kind) {
  FleetChange change;
  change.kind = kind;
  change.id = call.id;
  change.patch = call.request->method == Method::patch;
  change.dry_run = asks_for(call, "dry_run");
  if (call.request->method != Method::remove) change.text = std::move(call.request->body);
  if (kind != FleetKind::release && change.text && change.text->empty()) {
    return problem(400, "the document is missing");
  }
  const std::string& only_if = call.request->if_match;
  if (only_if.empty() && call.request->if_none_match != "*" && must_name_what_it_replaces(kind)) {
    return problem(428,
                   "say which document is replaced: If-Match with its ETag, or * for any; or that it is "
                   "new: If-None-Match: *");
  }
  if (!only_if.empty() && only_if != "*") change.only_if = only_if;
  if (call.request->if_none_match == "*") change.only_if = "";
  Response response;
  response.later = [&model, change = std::move(change)](const Response::Deliver& deliver) {
    const bool all = change.kind == FleetKind::all;
    Response answer = answer_of(model.fleet()->fleet_change(change), all, change.dry_run);
    deliver([answer] { return answer; });
  };
  return response;
}

}  // namespace saccade::service
