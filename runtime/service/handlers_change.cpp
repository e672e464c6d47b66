#include <nlohmann/json.hpp>

#include "profiles/object_reader.hpp"
#include "profiles/strict_json.hpp"
#include "runtime/service/handlers.hpp"
#include "runtime/service/problem.hpp"

namespace saccade::runtime {
namespace {

using Json = nlohmann::ordered_json;
using profiles::JsonValue;

std::string quoted(const std::string& etag) { return '"' + etag + '"'; }

// Whether a list of entity tags, or "*", names this one.
bool names(const std::string& list, const std::string& etag) {
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t comma = std::min(list.find(',', begin), list.size());
    std::string item = list.substr(begin, comma - begin);
    item.erase(0, item.find_first_not_of(" \t"));
    item.erase(item.find_last_not_of(" \t") + 1);
    if (item == "*" || item == quoted(etag) || item == "W/" + quoted(etag)) return true;
    begin = comma + 1;
  }
  return false;
}

// The configuration that a change is for; nothing: for any. An If-Match that does not name the present
// one becomes a tag that no configuration has.
std::optional<std::string> only_if(const ServiceModel& model, const Request& request) {
  if (request.if_match.empty() || request.if_match == "*") return std::nullopt;
  const std::string now = model.configuration().etag;
  return names(request.if_match, now) ? now : std::string();
}

// Pointers into the body of the request: those of the change without what was put around the body.
Errors into_body(Errors errors, const std::string& around) {
  for (Error& error : errors) {
    if (error.where.starts_with(around)) error.where.erase(0, around.size());
  }
  return errors;
}

Json list_of(const Errors& errors) {
  Json list = Json::array();
  for (const Error& error : errors) {
    list.push_back({{"pointer", error.where}, {"detail", error.what}});
    if (!error.hint.empty()) list.back()["hint"] = error.hint;
  }
  return list;
}

Response answer(const ChangeOutcome& outcome, const Change& change, const std::string& around) {
  switch (outcome.kind) {
    case ChangeOutcome::Kind::stale:
      return problem(412, "the configuration is not the one that If-Match names");
    case ChangeOutcome::Kind::invalid:
      return problem(422, "the change was refused, nothing was changed", into_body(outcome.errors, around));
    case ChangeOutcome::Kind::accepted:
      break;
  }
  Json json;
  if (change.check_only) {
    json["valid"] = true;
  } else {
    json["generation"] = outcome.generation;
  }
  if (!outcome.warnings.empty()) json["warnings"] = list_of(into_body(outcome.warnings, around));
  Response response = json_response(json.dump(1) + "\n");
  response.status = change.check_only ? 200 : 202;
  if (!change.check_only) response.headers.emplace_back("ETag", quoted(outcome.etag));
  return response;
}

// The body as a JSON object; otherwise the answer that says why not.
std::optional<Response> not_an_object(const std::string& body) {
  profiles::JsonReport report("", [](std::size_t, const std::string& pointer) { return pointer; });
  const std::optional<JsonValue> value = profiles::parse_json(body, report);
  if (!report.empty()) return problem(422, "the body is not the JSON that is expected here", report.errors());
  if (value->kind == JsonValue::Kind::object) return std::nullopt;
  return problem(422, "the body is not the JSON that is expected here",
                 {{"", "an object is expected", "for example {\"fps\": 10}"}});
}

// `body` at `place` of a patch, which is a pointer of names that need no escape.
Response patch(ServiceModel& model, const Call& call, const std::string& place) {
  if (auto refused = not_an_object(call.request->body)) return std::move(*refused);
  std::string text = call.request->body;
  for (std::size_t end = place.size(); end > 0;) {
    const std::size_t slash = place.rfind('/', end - 1);
    text = "{\"" + place.substr(slash + 1, end - slash - 1) + "\":" + text + "}";
    end = slash;
  }
  const Change change{Change::Kind::patch, std::move(text), only_if(model, *call.request)};
  return answer(model.change(change), change, place);
}

bool is_set(const Call& call, const std::string& parameter) {
  const auto found = call.query.find(parameter);
  return found != call.query.end() && found->second != "0";
}

}  // namespace

Response handle_config(ServiceModel& model, const Call& call) {
  const Versioned configuration = model.configuration();
  Response response = json_response(configuration.text);
  response.headers.emplace_back("ETag", quoted(configuration.etag));
  if (!call.request->if_none_match.empty() && names(call.request->if_none_match, configuration.etag)) {
    response.status = 304;
    response.content_type.clear();
    response.body.clear();
  }
  return response;
}

Response handle_replace(ServiceModel& model, const Call& call) {
  const bool check_only = is_set(call, "dry_run");
  if (!check_only && call.request->if_match.empty()) {
    return problem(428,
                   "say which configuration is replaced: If-Match with the ETag of GET /v1/config, or *");
  }
  const Change change{Change::Kind::replace, call.request->body, only_if(model, *call.request), check_only};
  return answer(model.change(change), change, "");
}

Response handle_validate(ServiceModel& model, const Call& call) {
  const Change change{Change::Kind::replace, call.request->body, std::nullopt, true};
  return answer(model.change(change), change, "");
}

Response handle_reload(ServiceModel& model, const Call& call) {
  if (!call.request->body.empty()) return problem(400, "a reload takes no body: it reads the file again");
  const Change change{Change::Kind::reload, "", only_if(model, *call.request)};
  return answer(model.change(change), change, "");
}

Response handle_patch_task(ServiceModel& model, const Call& call) {
  if (!profiles::is_id(call.id) || !model.task(call.id)) {
    return problem(404, "there is no task " + profiles::in_quotes(call.id));
  }
  return patch(model, call, "/tasks/" + call.id);
}

Response handle_limits(ServiceModel& model, const Call& call) { return patch(model, call, "/limits"); }

Response handle_objective(ServiceModel& model, const Call& call) {
  if (auto refused = not_an_object(call.request->body)) return std::move(*refused);
  profiles::JsonReport report("", [](std::size_t, const std::string& pointer) { return pointer; });
  const std::optional<JsonValue> body = profiles::parse_json(call.request->body, report);
  {
    profiles::ObjectReader reader({&*body, ""}, report);
    (void)reader.require("objective");
  }
  if (!report.empty()) return problem(422, "the change was refused, nothing was changed", report.errors());
  return patch(model, call, "");
}

Response handle_dry_run(ServiceModel& model, const Call& call) {
  if (auto refused = not_an_object(call.request->body)) return std::move(*refused);
  DryRun outcome = model.dry_run(call.request->body);
  switch (outcome.kind) {
    case DryRun::Kind::feasible:
      break;
    case DryRun::Kind::infeasible:
      return problem(409, "what is asked for does not fit", {}, outcome.plan);
    case DryRun::Kind::unknown:
      return problem(503, "no plan was found within the solver's deadline");
    case DryRun::Kind::invalid:
      return problem(422, "the change was refused, nothing was changed", outcome.errors);
  }
  return json_response(std::move(outcome.plan));
}

}  // namespace saccade::runtime
