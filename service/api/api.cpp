#include "service/api/api.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "service/api/dashboard.hpp"
#include "service/api/handlers.hpp"
#include "service/api/handlers_fleet.hpp"
#include "service/api/infer_request.hpp"
#include "service/api/problem.hpp"
#include "service/api/target.hpp"
#include "text/strict_json.hpp"

namespace saccade::service {

struct Route {
  Method method;
  std::vector<std::string> path;   // "*" is the id of a task, "+" a version of its network
  std::vector<std::string> query;  // parameters it takes
  std::size_t most_body;
  bool vital;
  Needs needs;  // nothing: the page, which holds no secret and itself asks for the token
  Response (*handle)(ServiceModel&, const Call&);
  bool frame = false;                   // takes one: a picture or tensors, not only JSON
  std::vector<std::string> words = {};  // parameters it takes that are not 0 or 1; the handler reads them
  std::optional<PageOf> page = {};      // a file of the dashboard
};

namespace {

constexpr std::size_t kMostBody = 1024UL * 1024UL;
constexpr std::size_t kMostFrame = 16 * kMostBody;

std::vector<Route> routes_of_service() {
  using enum Method;
  return {
      {get, {"livez"}, {}, 0, true, Needs::read_or_infer, handle_live},
      {get, {"readyz"}, {"verbose"}, 0, true, Needs::read_or_infer, handle_ready},
      {get, {"metrics"}, {}, 0, true, Needs::read, handle_metrics},
      {get, {"v1", "version"}, {}, 0, false, Needs::read, handle_document<Document::version>},
      {get, {"v1", "schema"}, {}, 0, false, Needs::read, handle_document<Document::schema>},
      {get, {"v1", "config"}, {"in_force"}, 0, false, Needs::read, handle_config},
      {put, {"v1", "config"}, {"dry_run"}, kMostBody, false, Needs::admin, handle_replace},
      {patch, {"v1", "config"}, {}, kMostBody, false, Needs::admin, handle_patch},
      {post, {"v1", "config", "validate"}, {}, kMostBody, false, Needs::admin, handle_validate},
      {post, {"v1", "config", "reload"}, {}, kMostBody, false, Needs::admin, handle_reload},
      {get, {"v1", "status"}, {}, 0, false, Needs::read, handle_long_document<Document::status>},
      {get, {"v1", "plan"}, {}, 0, false, Needs::read, handle_document<Document::plan>},
      {get, {"v1", "plan", "history"}, {}, 0, false, Needs::read, handle_long_document<Document::history>},
      {post, {"v1", "plan", "dry-run"}, {}, kMostBody, false, Needs::admin, handle_dry_run},
      {get, {"v1", "models"}, {}, 0, false, Needs::read, handle_document<Document::models>},
      {get, {"v1", "events"}, {}, 0, false, Needs::read, handle_events},
      {get,
       {"v1", "results"},
       {},
       0,
       false,
       Needs::read,
       handle_results,
       false,
       {"task", "label", "min_score", "format"}},
      {get, {"v1", "tasks"}, {}, 0, false, Needs::read, handle_long_document<Document::tasks>},
      {get, {"v1", "tasks", "*"}, {}, 0, false, Needs::read, handle_task},
      {get, {"v1", "tasks", "*", "thumbnail"}, {}, 0, false, Needs::read, handle_thumbnail},
      {get, {"v1", "tasks", "*", "result"}, {}, 0, false, Needs::read, handle_result},
      {get, {"v1", "tasks", "*", "snapshot"}, {}, 0, false, Needs::read, handle_snapshot, false, {"boxes"}},
      {patch, {"v1", "tasks", "*"}, {}, kMostBody, false, Needs::admin, handle_patch_task},
      {patch, {"v1", "limits"}, {}, kMostBody, false, Needs::admin, handle_limits},
      {put, {"v1", "objective"}, {}, kMostBody, false, Needs::admin, handle_objective},
      {get, {"v2"}, {}, 0, false, Needs::read_or_infer, handle_document<Document::server>},
      {get, {"v2", "health", "live"}, {}, 0, true, Needs::read_or_infer, handle_server_live},
      {get, {"v2", "health", "ready"}, {}, 0, true, Needs::read_or_infer, handle_server_ready},
      {get, {"v2", "models", "*"}, {}, 0, false, Needs::read_or_infer, handle_network},
      {get, {"v2", "models", "*", "ready"}, {}, 0, false, Needs::read_or_infer, handle_network_ready},
      {post, {"v2", "models", "*", "infer"}, {}, kMostFrame, false, Needs::infer, handle_infer, true},
      {get, {"v2", "models", "*", "versions", "+"}, {}, 0, false, Needs::read_or_infer, handle_network},
      {get,
       {"v2", "models", "*", "versions", "+", "ready"},
       {},
       0,
       false,
       Needs::read_or_infer,
       handle_network_ready},
      {post,
       {"v2", "models", "*", "versions", "+", "infer"},
       {},
       kMostFrame,
       false,
       Needs::infer,
       handle_infer,
       true},
  };
}

std::vector<Route> routes_of_planner() {
  using enum Method;
  using enum FleetKind;
  const auto read = [](std::vector<std::string> path, Response (*handle)(ServiceModel&, const Call&)) {
    path.insert(path.begin(), {"v1", "fleet"});
    return Route{get, std::move(path), {}, 0, false, Needs::read, handle};
  };
  const auto write = [](Method method, std::vector<std::string> path, std::size_t most,
                        Response (*handle)(ServiceModel&, const Call&)) {
    path.insert(path.begin(), {"v1", "fleet"});
    return Route{method, std::move(path), {}, most, false, Needs::admin, handle};
  };
  return {
      read({"status"}, handle_fleet<FleetDocument::status>),
      read({"plan"}, handle_fleet<FleetDocument::plan>),
      read({"boxes"}, handle_fleet<FleetDocument::boxes>),
      read({"boxes", "*"}, handle_fleet_item<box>),
      read({"cameras"}, handle_fleet<FleetDocument::cameras>),
      read({"cameras", "*"}, handle_fleet_item<camera>),
      read({"policy"}, handle_fleet_item<policy>),
      read({"moves"}, handle_fleet<FleetDocument::moves>),
      read({"events"}, handle_events),
      write(put, {"boxes", "*"}, kMostBody, handle_fleet_change<box>),
      write(patch, {"boxes", "*"}, kMostBody, handle_fleet_change<box>),
      write(remove, {"boxes", "*"}, 0, handle_fleet_change<box>),
      write(put, {"cameras", "*"}, kMostBody, handle_fleet_change<camera>),
      write(patch, {"cameras", "*"}, kMostBody, handle_fleet_change<camera>),
      write(remove, {"cameras", "*"}, 0, handle_fleet_change<camera>),
      write(put, {"cameras", "*", "pin"}, kMostBody, handle_fleet_change<pin>),
      write(remove, {"cameras", "*", "pin"}, 0, handle_fleet_change<pin>),
      write(put, {"policy"}, kMostBody, handle_fleet_change<policy>),
      write(patch, {"policy"}, kMostBody, handle_fleet_change<policy>),
      write(remove, {"policy"}, 0, handle_fleet_change<policy>),
      write(post, {"release"}, 0, handle_fleet_change<release>),
      {post,
       {"v1", "fleet", "apply"},
       {"dry_run"},
       kMostFrame,
       false,
       Needs::admin,
       handle_fleet_change<all>},
  };
}

// Below /v1/fleet: of a planner alone; health, metrics and version: of both; all others of a box alone.
bool is_served(const Route& route, bool by_planner) {
  if (route.page) return *route.page == PageOf::both || (*route.page == PageOf::planner) == by_planner;
  const bool of_fleet = route.path.size() > 2 && route.path[1] == "fleet";
  const bool of_both =
      route.path.size() == 1 ? route.vital : route.path.size() == 2 && route.path[1] == "version";
  return of_both || of_fleet == by_planner;
}

template <std::size_t... kFile>
void add_dashboard(std::vector<Route>& table, std::index_sequence<kFile...>) {
  const auto add = [&](std::vector<std::string> path, PageOf of,
                       Response (*handle)(ServiceModel&, const Call&)) {
    Route route{Method::get, std::move(path), {}, 0, false, Needs::nothing, handle};
    route.page = of;
    table.push_back(std::move(route));
  };
  const auto add_file = [&](const DashboardFile& file, Response (*handle)(ServiceModel&, const Call&)) {
    if (!file.name.empty()) add({std::string(file.name)}, file.of, handle);
  };
  add({}, PageOf::both, handle_page);
  (add_file(dashboard_files()[kFile], handle_dashboard<kFile>), ...);
}

const std::vector<Route>& routes() {
  static const std::vector<Route> table = [] {
    std::vector<Route> all = routes_of_service();
    for (Route& route : routes_of_planner()) all.push_back(std::move(route));
    add_dashboard(all, std::make_index_sequence<kDashboardFiles>());
    return all;
  }();
  return table;
}

// What the path names; empty where it names none.
struct Named {
  std::string id;       // of a task
  std::string version;  // of its network
};
// Absent: another path.
std::optional<Named> matched(const Route& route, const Target& target) {
  if (route.path.size() != target.segments.size()) return std::nullopt;
  Named named;
  for (std::size_t i = 0; i < route.path.size(); ++i) {
    if (route.path[i] == "*") {
      named.id = target.segments[i];
    } else if (route.path[i] == "+") {
      named.version = target.segments[i];
    } else if (route.path[i] != target.segments[i]) {
      return std::nullopt;
    }
  }
  return named;
}

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
    if (std::find(route.words.begin(), route.words.end(), name) != route.words.end()) continue;
    if (std::find(route.query.begin(), route.query.end(), name) == route.query.end()) {
      return problem(400, "there is no query parameter " + text::in_quotes(name) + " here");
    }
    if (!value.empty() && value != "0" && value != "1") {
      return problem(400, "the query parameter " + text::in_quotes(name) + " is 0 or 1");
    }
  }
  return std::nullopt;
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

Found Api::find(const Request& request) {
  Found found;
  const std::optional<Target> target = target_from(request.target);
  if (!target) {
    found.refusal = problem(400, "the target is not a plain path");
    return found;
  }
  std::vector<const Route*> of_path;
  for (const Route& route : routes()) {
    std::optional<Named> named = matched(route, *target);
    if (!named) continue;
    of_path.push_back(&route);
    found.id = std::move(named->id);
    found.version = std::move(named->version);
    const bool asked =
        route.method == request.method || (route.method == Method::get && request.method == Method::head);
    if (asked) found.route = &route;
  }
  if (found.route != nullptr) {
    if (auto wrong = wrong_query(*found.route, *target)) {
      found.route = nullptr;
      found.refusal = std::move(*wrong);
    }
    found.query = target->query;
  } else if (of_path.empty()) {
    found.refusal = problem(404, "there is nothing at this path");
  } else if (request.method == Method::options) {
    found.refusal = Response{204, ""};
  } else {
    found.refusal = problem(405, "this path does not take that method");
  }
  if (found.route != nullptr) {
    found.most_body = found.route->most_body;
    found.frame = found.route->frame;
    found.vital = found.route->vital;
  } else if (!of_path.empty()) {
    found.refusal.headers.emplace_back("Allow", allowed_methods(of_path));
  }
  return found;
}

std::optional<Response> Api::refused(const Found& found, const Request& head) {
  const bool tries = !access_.tokens.empty() && !head.authorization.empty();
  if (tries && attempts_.waits(head.remote, clock_->now())) {
    Response response = problem(429, "too many attempts with a wrong token from this address");
    response.headers.emplace_back("Retry-After", "1");
    return response;
  }
  if (tries && !role_of(access_, head)) attempts_.failed(head.remote, clock_->now());
  if (access_.health_only && found.route != nullptr && !found.vital) {
    return problem(404, "there is nothing at this path");
  }
  if (found.route != nullptr && !is_served(*found.route, model_.fleet() != nullptr)) {
    return problem(404, "there is nothing at this path");
  }
  const Needs needs = found.route != nullptr ? found.route->needs : Needs::read_or_infer;
  if (auto no_access = refuse(access_, head, needs)) return no_access;
  if (found.route == nullptr) return found.refusal;
  if (found.most_body == 0 || head.content_type.empty()) return std::nullopt;
  return wrong_type(*found.route, head.content_type);
}

Response Api::handle(const Found& found, Request request) {
  if (request.body.size() > found.most_body) return problem(413, "the body is too large");
  if (!request.body.empty() && request.content_type.empty()) return *wrong_type(*found.route, "");
  const bool admin = role_of(access_, request) == Role::admin;
  return found.route->handle(model_, {&request, found.id, found.version, found.query, admin});
}

Response Api::handle(Request request) {
  const Found found = find(request);
  if (auto refusal = refused(found, request)) return *std::move(refusal);
  return handle(found, std::move(request));
}

}  // namespace saccade::service
