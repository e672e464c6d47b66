// The API of a planner: which paths it has, and what becomes of a change.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "service/api/api.hpp"
#include "service/api/dashboard.hpp"
#include "service/fleet/planner_model.hpp"

namespace saccade::service {
namespace {

class FleetPlannerApi : public testing::Test {
 protected:
  Response ask(Method method, const std::string& target, const std::string& body = "",
               const std::string& if_match = "", const std::string& if_none_match = "") {
    Request request;
    request.method = method;
    request.target = target;
    request.host = "127.0.0.1:8090";
    request.if_match = if_match;
    request.if_none_match = if_none_match;
    request.body = body;
    if (!body.empty()) request.content_type = "application/json";
    Response response = api_.handle(std::move(request));
    if (!response.later) return response;
    const auto later = std::move(response.later);
    later([&](const std::function<Response()>& answer) { response = answer(); });
    return response;
  }
  FleetOutcome outcome_{FleetOutcome::Kind::accepted, 7};
  std::optional<FleetChange> change_;
  PlannerModel model_{[this](const FleetChange& change, const PlannerModel::Done& done) {
    change_ = change;
    done(outcome_);
  }};
  Api api_{model_, Access{{"", "127.0.0.1", 8090}}};
};

TEST_F(FleetPlannerApi, HasThePathsOfAPlannerAndNotThoseOfABox) {
  FleetPicture picture;
  picture.status = "{\"fleet\": \"t\"}\n";
  picture.camera["gate"] = {"{}\n", "\"5\""};
  picture.metrics = "saccade_fleet_leader 1\n";
  model_.show(std::move(picture));
  EXPECT_EQ(ask(Method::get, "/v1/fleet/status").body, "{\"fleet\": \"t\"}\n");
  for (const char* path :
       {"/v1/fleet/boxes", "/v1/fleet/cameras", "/v1/fleet/plan", "/livez", "/v1/version"}) {
    EXPECT_EQ(ask(Method::get, path).status, 200) << path;
  }
  EXPECT_EQ(ask(Method::get, "/metrics").body, "saccade_fleet_leader 1\n");
  EXPECT_EQ(ask(Method::get, "/readyz").status, 503);  // the store has not answered yet
  const Response gate = ask(Method::get, "/v1/fleet/cameras/gate");
  EXPECT_EQ(gate.status, 200);
  EXPECT_EQ(gate.headers.back(), (std::pair<std::string, std::string>{"ETag", "\"5\""}));
  EXPECT_EQ(ask(Method::get, "/v1/fleet/cameras/yard").status, 404);
  EXPECT_EQ(ask(Method::get, "/v1/fleet/boxes/gate").status, 404);
  for (const char* path :
       {"/v1/status", "/v1/tasks", "/v1/config", "/v2", "/v1/tasks/gate", "/dashboard.js", "/tasks.js"}) {
    EXPECT_EQ(ask(Method::get, path).status, 404) << path;
  }
}

TEST_F(FleetPlannerApi, ChangesAreHandedOverWithWhatTheyReplace) {
  Response response = ask(Method::put, "/v1/fleet/cameras/gate", "{\"fps\": 5}", "\"5\"");
  EXPECT_EQ(response.status, 202);
  EXPECT_EQ(response.body, "{\"revision\":7}\n");
  ASSERT_TRUE(change_);
  EXPECT_EQ(change_->id, "gate");
  EXPECT_EQ(change_->text, "{\"fps\": 5}");
  EXPECT_EQ(change_->only_if, "\"5\"");
  EXPECT_EQ(ask(Method::remove, "/v1/fleet/boxes/a", "", "*").status, 202);
  EXPECT_EQ(change_->kind, FleetKind::box);
  EXPECT_EQ(change_->text, std::nullopt);
  EXPECT_EQ(change_->only_if, std::nullopt);
  EXPECT_EQ(ask(Method::post, "/v1/fleet/release").status, 202);
  EXPECT_EQ(change_->kind, FleetKind::release);
  EXPECT_EQ(ask(Method::put, "/v1/fleet/cameras/gate").status, 400);
  EXPECT_EQ(ask(Method::post, "/v1/fleet/cameras/gate", "{}").status, 405);
}

TEST_F(FleetPlannerApi, ADocumentIsChangedOnlyByAClientThatSaysWhatItReplaces) {
  for (const char* path : {"/v1/fleet/cameras/gate", "/v1/fleet/boxes/a", "/v1/fleet/policy"}) {
    for (const Method method : {Method::put, Method::patch, Method::remove}) {
      const std::string body = method == Method::remove ? "" : "{}";
      change_.reset();
      const Response refused = ask(method, path, body);
      EXPECT_EQ(refused.status, 428) << path;
      EXPECT_NE(refused.body.find("If-Match with its ETag, or *"), std::string::npos) << refused.body;
      EXPECT_FALSE(change_) << path;
      EXPECT_EQ(ask(method, path, body, "*").status, 202) << path;
      ASSERT_TRUE(change_);
      EXPECT_EQ(change_->only_if, std::nullopt);
      EXPECT_EQ(ask(method, path, body, "", "*").status, 202) << path;
      EXPECT_EQ(change_->only_if, "");
    }
  }
}

TEST_F(FleetPlannerApi, ThePageIsThatOfAFleet) {
  const Response page = ask(Method::get, "/");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.content_type, "text/html; charset=utf-8");
  EXPECT_NE(page.body.find("<title>Saccade fleet</title>"), std::string::npos);
  int files = 0;
  for (const DashboardFile& file : dashboard_files()) {
    if (file.name.empty()) continue;
    const bool served = file.of != PageOf::box;
    const Response response = ask(Method::get, "/" + std::string(file.name));
    EXPECT_EQ(response.status, served ? 200 : 404) << file.name;
    if (!served) continue;
    ++files;
    EXPECT_NE(page.body.find('"' + std::string(file.name) + '"'), std::string::npos) << file.name;
    EXPECT_EQ(response.body.find("innerHTML"), std::string::npos) << file.name;
  }
  EXPECT_EQ(files, 5);
  EXPECT_EQ(page.body.find("http://"), std::string::npos);
}

TEST_F(FleetPlannerApi, TheConfigurationAsAWholeIsHandedOverOrTriedOut) {
  outcome_.show = [](std::int64_t revision) { return "{\"revision\": " + std::to_string(revision) + "}\n"; };
  Response response = ask(Method::post, "/v1/fleet/apply", "{\"cameras\": []}", "\"3\"");
  EXPECT_EQ(response.status, 202);
  EXPECT_EQ(response.body, "{\"revision\": 7}\n");
  ASSERT_TRUE(change_);
  EXPECT_EQ(change_->kind, FleetKind::all);
  EXPECT_EQ(change_->only_if, "\"3\"");
  EXPECT_FALSE(change_->dry_run);
  response = ask(Method::post, "/v1/fleet/apply?dry_run=1", "{}");
  EXPECT_EQ(response.status, 200);
  EXPECT_TRUE(change_->dry_run);
  outcome_ = {FleetOutcome::Kind::stale, 0, {}, 3};
  response = ask(Method::post, "/v1/fleet/apply", "{}");
  EXPECT_EQ(response.status, 412);
  EXPECT_NE(response.body.find("changed by another client meanwhile: 3 documents were written"),
            std::string::npos)
      << response.body;
  EXPECT_EQ(ask(Method::post, "/v1/fleet/apply").status, 400);
}

TEST_F(FleetPlannerApi, PolicyAndPinsAreChangedByTheirPaths) {
  FleetPicture picture;
  picture.policy = {"{}\n", "\"9\""};
  model_.show(std::move(picture));
  EXPECT_EQ(ask(Method::get, "/v1/fleet/policy").headers.back().second, "\"9\"");
  EXPECT_EQ(ask(Method::patch, "/v1/fleet/policy", "{\"survive\": \"require\"}", "\"9\"").status, 202);
  EXPECT_EQ(change_->kind, FleetKind::policy);
  EXPECT_TRUE(change_->patch);
  EXPECT_EQ(ask(Method::put, "/v1/fleet/cameras/gate/pin", "{\"box\": \"a\"}").status, 202);
  EXPECT_EQ(change_->kind, FleetKind::pin);
  EXPECT_EQ(change_->id, "gate");
  EXPECT_EQ(ask(Method::remove, "/v1/fleet/cameras/gate/pin").status, 202);
  EXPECT_EQ(change_->text, std::nullopt);
  EXPECT_EQ(ask(Method::get, "/v1/fleet/moves").status, 200);
  EXPECT_TRUE(ask(Method::get, "/v1/fleet/events").events_after);
}

TEST_F(FleetPlannerApi, OutcomesAreCodes) {
  const auto code = [&](FleetOutcome::Kind kind) {
    outcome_ = {kind, 0, {{"#/fps", "must be more", ""}}};
    return ask(Method::put, "/v1/fleet/cameras/gate", "{}", "*").status;
  };
  EXPECT_EQ(code(FleetOutcome::Kind::stale), 412);
  EXPECT_EQ(code(FleetOutcome::Kind::invalid), 422);
  EXPECT_EQ(code(FleetOutcome::Kind::unavailable), 503);
  EXPECT_EQ(code(FleetOutcome::Kind::unknown), 503);
}

}  // namespace
}  // namespace saccade::service
