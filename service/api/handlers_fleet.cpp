#include "service/api/handlers_fleet.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "service/api/problem.hpp"
#include "text/strict_json.hpp"

namespace saccade::service {
namespace {

Response answer_of(const FleetOutcome& outcome) {
  switch (outcome.kind) {
    case FleetOutcome::Kind::stale:
      return problem(412, "the document is not the one that If-Match names");
    case FleetOutcome::Kind::invalid:
      return problem(422, "the change was refused, nothing was changed", outcome.errors);
    case FleetOutcome::Kind::unavailable:
      return problem(503, "the store cannot be reached: nothing was changed");
    case FleetOutcome::Kind::unknown:
      return problem(503, "the store did not answer: the change may be made, or may be made yet");
    case FleetOutcome::Kind::accepted:
      break;
  }
  Response response = json_response(nlohmann::ordered_json{{"revision", outcome.revision}}.dump() + "\n");
  response.status = 202;
  response.headers.emplace_back("ETag", "\"" + std::to_string(outcome.revision) + "\"");
  return response;
}

const char* kind_word(FleetKind kind) { return kind == FleetKind::box ? "box" : "camera"; }

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
  FleetChange change{kind, call.id, std::nullopt, std::nullopt};
  if (call.request->method != Method::remove) change.text = std::move(call.request->body);
  if (kind != FleetKind::release && change.text && change.text->empty()) {
    return problem(400, "the document is missing");
  }
  const std::string& only_if = call.request->if_match;
  if (!only_if.empty() && only_if != "*") change.only_if = only_if;
  if (call.request->if_none_match == "*") change.only_if = "";
  Response response;
  response.later = [&model, change = std::move(change)](const Response::Deliver& deliver) {
    const FleetOutcome outcome = model.fleet()->fleet_change(change);
    deliver([outcome] { return answer_of(outcome); });
  };
  return response;
}

}  // namespace saccade::service
