#include "runtime/service/api.hpp"

#include <algorithm>
#include <vector>

#include "profiles/strict_json.hpp"
#include "runtime/service/handlers.hpp"
#include "runtime/service/infer_request.hpp"
#include "runtime/service/problem.hpp"
#include "runtime/service/target.hpp"

namespace saccade::runtime {
namespace {

constexpr std::size_t kMostBody = 1024UL * 1024UL;
constexpr std::size_t kMostFrame = 16 * kMostBody;

struct Route {
  Method method;
  std::vector<std::string> path;   // "*" is the id of a task
  std::vector<std::string> query;  // parameters it takes
  std::size_t most_body;
  bool vital;
  Response (*handle)(ServiceModel&, const Call&);
  bool frame = false;  // takes one: a picture or tensors, not only JSON
  bool open = false;   // holds no secret: the token, which the page itself asks for, is not needed
};

const std::vector<Route>& routes() {
  using enum Method;
  static const std::vector<Route> table = {
      {get, {}, {}, 0, false, handle_page<Page::dashboard>, false, true},
      {get, {"dashboard.css"}, {}, 0, false, handle_page<Page::style>, false, true},
      {get, {"dashboard.js"}, {}, 0, false, handle_page<Page::script>, false, true},
      {get, {"livez"}, {}, 0, true, handle_live},
      {get, {"readyz"}, {"verbose"}, 0, true, handle_ready},
      {get, {"metrics"}, {}, 0, true, handle_metrics},
      {get, {"v1", "version"}, {}, 0, false, handle_document<Document::version>},
      {get, {"v1", "schema"}, {}, 0, false, handle_document<Document::schema>},
      {get, {"v1", "config"}, {}, 0, false, handle_config},
      {put, {"v1", "config"}, {"dry_run"}, kMostBody, false, handle_replace},
      {patch, {"v1", "config"}, {}, kMostBody, false, handle_patch},
      {post, {"v1", "config", "validate"}, {}, kMostBody, false, handle_validate},
      {post, {"v1", "config", "reload"}, {}, kMostBody, false, handle_reload},
      {get, {"v1", "status"}, {}, 0, false, handle_document<Document::status>},
      {get, {"v1", "plan"}, {}, 0, false, handle_document<Document::plan>},
      {get, {"v1", "plan", "history"}, {}, 0, false, handle_document<Document::history>},
      {post, {"v1", "plan", "dry-run"}, {}, kMostBody, false, handle_dry_run},
      {get, {"v1", "models"}, {}, 0, false, handle_document<Document::models>},
      {get, {"v1", "events"}, {}, 0, false, handle_events},
      {get, {"v1", "tasks"}, {}, 0, false, handle_document<Document::tasks>},
      {get, {"v1", "tasks", "*"}, {}, 0, false, handle_task},
      {get, {"v1", "tasks", "*", "thumbnail"}, {}, 0, false, handle_thumbnail},
      {patch, {"v1", "tasks", "*"}, {}, kMostBody, false, handle_patch_task},
      {patch, {"v1", "limits"}, {}, kMostBody, false, handle_limits},
      {put, {"v1", "objective"}, {}, kMostBody, false, handle_objective},
      {get, {"v2", "health", "live"}, {}, 0, true, handle_live},
      {get, {"v2", "health", "ready"}, {}, 0, true, handle_ready},
      {get, {"v2", "models", "*"}, {}, 0, false, handle_network},
      {get, {"v2", "models", "*", "ready"}, {}, 0, false, handle_network_ready},
      {post, {"v2", "models", "*", "infer"}, {}, kMostFrame, false, handle_infer, true},
  };
  return table;
}

// The id of a task in the path; empty where there is none. Nothing: another path.
std::optional<std::string> matched(const Route& route, const Target& target) {
  if (route.path.size() != target.segments.size()) return std::nullopt;
  std::string id;
  for (std::size_t i = 0; i < route.path.size(); ++i) {
    if (route.path[i] == "*") {
      id = target.segments[i];
    } else if (route.path[i] != target.segments[i]) {
      return std::nullopt;
    }
  }
  return id;
}

struct Found {
  const Route* route = nullptr;      // that answers; null: `refusal` does
  std::vector<const Route*> others;  // of the same path
  Call call;
  Response refusal;
};

std::string allowed_methods(const std::vector<const Route*>& of_path) {
  std::string allowed = "OPTIONS";
  for (const Route* route : of_path) {
    allowed += std::string(", ") + to_string(route->method);
    if (route->method == Method::get) allowed += ", HEAD";
  }
  return allowed;
}

std::optional<Response> wrong_query(const Route& route, const Target& target) {
  for (const auto& [name, value] : target.query) {
    if (std::find(route.query.begin(), route.query.end(), name) == route.query.end()) {
      return problem(400, "there is no query parameter " + profiles::in_quotes(name) + " here");
    }
    if (!value.empty() && value != "0" && value != "1") {
      return problem(400, "the query parameter " + profiles::in_quotes(name) + " is 0 or 1");
    }
  }
  return std::nullopt;
}

Found find(const Request& request) {
  Found found;
  const std::optional<Target> target = target_from(request.target);
  if (!target) {
    found.refusal = problem(400, "the target is not a plain path");
    return found;
  }
  for (const Route& route : routes()) {
    const std::optional<std::string> id = matched(route, *target);
    if (!id) continue;
    found.others.push_back(&route);
    found.call.id = *id;
    const bool asked =
        route.method == request.method || (route.method == Method::get && request.method == Method::head);
    if (asked) found.route = &route;
  }
  if (found.route != nullptr) {
    if (auto wrong = wrong_query(*found.route, *target)) {
      found.route = nullptr;
      found.refusal = std::move(*wrong);
    }
    found.call.query = target->query;
  } else if (found.others.empty()) {
    found.refusal = problem(404, "there is nothing at this path");
  } else if (request.method == Method::options) {
    found.refusal = Response{204, ""};
  } else {
    found.refusal = problem(405, "this path does not take that method");
  }
  if (found.route == nullptr && !found.others.empty()) {
    found.refusal.headers.emplace_back("Allow", allowed_methods(found.others));
  }
  return found;
}

// What is wrong with the type of a body; absent: nothing.
std::optional<Response> wrong_type(const Route& route, const std::string& content_type) {
  const std::string type = content_type.substr(0, content_type.find_first_of("; "));
  const bool json = type == "application/json" || type == "application/merge-patch+json";
  if (!route.frame) {
    if (json) return std::nullopt;
    return problem(415, "send JSON: Content-Type: application/json");
  }
  if (json || type == "application/octet-stream" || is_picture_type(type)) return std::nullopt;
  return problem(415, "send a picture (Content-Type: image/jpeg or image/png) or tensors (application/json)");
}

}  // namespace

std::optional<Response> Api::admit(const Request& head) const {
  Found found = find(head);
  if (auto refused = refuse(access_, head, found.route != nullptr && found.route->open)) return refused;
  if (found.route == nullptr) return std::move(found.refusal);
  if (found.route->most_body == 0 || head.content_type.empty()) return std::nullopt;
  return wrong_type(*found.route, head.content_type);
}

std::size_t Api::most_body(const Request& head) {
  const Found found = find(head);
  return found.route == nullptr ? 0 : found.route->most_body;
}

bool Api::is_vital(const Request& head) {
  const Found found = find(head);
  return found.route != nullptr && found.route->vital;
}

Response Api::handle(Request request) {
  if (auto refused = admit(request)) return std::move(*refused);
  Found found = find(request);
  if (request.body.size() > found.route->most_body) return problem(413, "the body is too large");
  if (!request.body.empty() && request.content_type.empty()) return *wrong_type(*found.route, "");
  found.call.request = &request;
  return found.route->handle(model_, found.call);
}

}  // namespace saccade::runtime
