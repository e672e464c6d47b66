#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/address.hpp"
#include "service/api/handlers.hpp"
#include "service/api/infer_answer.hpp"
#include "service/api/problem.hpp"
#include "text/strict_json.hpp"

namespace saccade::service {
namespace {

using Json = nlohmann::ordered_json;

// Whether a list of entity tags, or "*", names this one.
bool names(const std::string& list, const std::string& etag) {
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t comma = std::min(list.find(',', begin), list.size());
    std::string item = list.substr(begin, comma - begin);
    item.erase(0, item.find_first_not_of(" \t"));
    item.erase(item.find_last_not_of(" \t") + 1);
    if (item == "*" || item == etag || item == "W/" + etag) return true;
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

Json list_of(const Errors& errors) {
  Json list = Json::array();
  for (const Error& error : errors) {
    list.push_back({{"pointer", error.where}, {"detail", error.what}});
    if (!error.hint.empty()) list.back()["hint"] = error.hint;
  }
  return list;
}

Response answer(ServiceModel& model, const Change& change) {
  const ChangeOutcome outcome = model.change(change);
  switch (outcome.kind) {
    case ChangeOutcome::Kind::stale:
      return problem(412, "the configuration is not the one that If-Match names");
    case ChangeOutcome::Kind::invalid:
      return problem(422, "the change was refused, nothing was changed", outcome.errors);
    case ChangeOutcome::Kind::unavailable:
      return problem(503, "the service is starting or ending and takes no changes");
    case ChangeOutcome::Kind::accepted:
      break;
  }
  Json json;
  if (change.check_only) {
    json["valid"] = true;
  } else {
    json["generation"] = outcome.generation;
  }
  if (!outcome.warnings.empty()) json["warnings"] = list_of(outcome.warnings);
  Response response = json_response(json.dump(1) + "\n");
  response.status = change.check_only ? 200 : 202;
  if (!change.check_only) response.headers.emplace_back("ETag", outcome.etag);
  return response;
}

Response change_part(ServiceModel& model, const Call& call, Change::Kind kind) {
  return answer(model, {kind, call.request->body, call.id, only_if(model, *call.request)});
}

// The first task of a patch of several parts that another box of the fleet has since.
std::optional<MovedTask> moved_in(const ServiceModel& model, const std::string& patch) {
  text::JsonReport report("#");
  const std::optional<text::JsonValue> parsed = text::parse_json(patch, report);
  const text::JsonValue* const tasks = parsed ? parsed->find("tasks") : nullptr;
  if (tasks == nullptr) return std::nullopt;
  for (const text::JsonMember& task : tasks->members) {
    if (auto moved = model.moved(task.key)) return moved;
  }
  return std::nullopt;
}

// The document for those who may not change it: addresses without their secrets.
void mask_secrets(Json& value) {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (text.find("://") != std::string::npos) value = without_secrets(text);
  }
  if (!value.is_structured()) return;
  for (Json& each : value) mask_secrets(each);
}

// Whoever knows the path of a webhook may post to it.
void mask_receivers(Json& document) {
  if (!document.contains("results") || !document["results"].is_array()) return;
  for (Json& sink : document["results"]) {
    if (!sink.is_object() || sink.value("type", "") != "webhook") continue;
    const std::string url = sink.value("url", "");
    const std::size_t host = url.find("://");
    const std::size_t path = host == std::string::npos ? host : url.find_first_of("/?", host + 3);
    if (path != std::string::npos) sink["url"] = url.substr(0, path) + "/***";
  }
}

bool is_set(const Call& call, const std::string& parameter) {
  const auto found = call.query.find(parameter);
  return found != call.query.end() && found->second != "0";
}

}  // namespace

Response handle_config(ServiceModel& model, const Call& call) {
  const bool in_force = is_set(call, "in_force");
  Versioned configuration = in_force ? Versioned{model.configuration_in_force(), ""} : model.configuration();
  if (!call.admin) {
    Json document = Json::parse(configuration.text);
    mask_secrets(document);
    mask_receivers(document);
    configuration.text = document.dump(1) + "\n";
  }
  Response response = json_response(configuration.text);
  if (in_force) return response;  // changes with time: no tag names it
  response.headers.emplace_back("ETag", configuration.etag);
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
  return answer(model,
                {Change::Kind::replace, call.request->body, "", only_if(model, *call.request), check_only});
}

Response handle_patch(ServiceModel& model, const Call& call) {
  if (const auto moved = moved_in(model, call.request->body))
    return served_elsewhere(*moved, call.request->target);
  return change_part(model, call, Change::Kind::parts);
}

Response handle_validate(ServiceModel& model, const Call& call) {
  return answer(model, {Change::Kind::replace, call.request->body, "", std::nullopt, true});
}

Response handle_reload(ServiceModel& model, const Call& call) {
  if (!call.request->body.empty()) return problem(400, "a reload takes no body: it reads the file again");
  return change_part(model, call, Change::Kind::reload);
}

Response handle_patch_task(ServiceModel& model, const Call& call) {
  if (const auto moved = model.moved(call.id)) return served_elsewhere(*moved, call.request->target);
  if (!model.has_task(call.id)) return problem(404, "there is no task " + text::in_quotes(call.id));
  return change_part(model, call, Change::Kind::task);
}

Response handle_limits(ServiceModel& model, const Call& call) {
  return change_part(model, call, Change::Kind::limits);
}

Response handle_objective(ServiceModel& model, const Call& call) {
  return change_part(model, call, Change::Kind::objective);
}

Response handle_dry_run(ServiceModel& model, const Call& call) {
  if (const auto moved = moved_in(model, call.request->body))
    return served_elsewhere(*moved, call.request->target);
  DryRun outcome = model.dry_run(call.request->body);
  switch (outcome.kind) {
    case DryRun::Kind::feasible:
      break;
    case DryRun::Kind::infeasible:
      return problem(409, "what is asked for does not fit", {}, {{"plan", outcome.plan}});
    case DryRun::Kind::unknown:
      return problem(503, "no plan was found within the solver's deadline");
    case DryRun::Kind::invalid:
      return problem(422, "the change was refused, nothing was changed", outcome.errors);
  }
  return json_response(std::move(outcome.plan));
}

}  // namespace saccade::service
