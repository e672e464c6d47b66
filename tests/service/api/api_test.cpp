// The API as a function: every entry of its table, every way to be refused.
#include "service/api/api.hpp"

#include "service/api/dashboard.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <tuple>

#include "tests/service/api/api_case.hpp"

namespace saccade::service {
namespace {

using nlohmann::json;
using testing::ApiTest;

struct Answered {
  Method method;
  const char* target;
  const char* body;
  int status;
};

TEST_F(ApiTest, EveryEntryAnswers) {
  using enum Method;
  const Answered table[] = {
      {get, "/livez", "", 200},
      {get, "/readyz", "", 200},
      {get, "/readyz?verbose", "", 200},
      {get, "/metrics", "", 200},
      {get, "/v1/version", "", 200},
      {get, "/v1/schema", "", 200},
      {get, "/v1/config", "", 200},
      {put, "/v1/config?dry_run=1", "{}", 200},
      {put, "/v1/config", "{}", 428},
      {patch, "/v1/config", R"({"limits":{}})", 202},
      {post, "/v1/config/validate", "{}", 200},
      {post, "/v1/config/reload", "", 202},
      {get, "/v1/status", "", 200},
      {get, "/v1/plan", "", 200},
      {get, "/v1/plan/history", "", 200},
      {post, "/v1/plan/dry-run", "{}", 200},
      {get, "/v1/models", "", 200},
      {get, "/v1/events", "", 200},
      {get, "/v1/tasks", "", 200},
      {get, "/v1/tasks/gate", "", 200},
      {get, "/v1/tasks/g%61te", "", 200},
      {get, "/v1/tasks/other", "", 404},
      {patch, "/v1/tasks/gate", R"({"fps":3})", 202},
      {patch, "/v1/tasks/other", R"({"fps":3})", 404},
      {patch, "/v1/limits", R"({"memory_bytes":1e6})", 202},
      {put, "/v1/objective", R"("min_memory")", 202},
      {get, "/v2", "", 200},
      {get, "/v2/health/live", "", 200},
      {get, "/v2/health/ready", "", 200},
      {get, "/v2/models/gate", "", 200},
      {get, "/v2/models/gate/ready", "", 200},
      {get, "/v2/models/other", "", 404},
      {get, "/v2/models/other/ready", "", 404},
      {get, "/v2/models/gate/versions/big", "", 200},
      {get, "/v2/models/gate/versions/big/ready", "", 200},
      {get, "/v2/models/gate/versions/huge", "", 404},
      {get, "/v2/models/gate/versions/huge/ready", "", 404},
      {get, "/v2/models/other/versions/big", "", 404},
  };
  for (const Answered& row : table) {
    const Response response = ask(row.method, row.target, row.body);
    EXPECT_EQ(response.status, row.status) << to_string(row.method) << " " << row.target << response.body;
    EXPECT_EQ(response.content_type == "application/problem+json", response.status >= 400);
  }
}

TEST_F(ApiTest, TheWrongMethodNamesTheRightOnes) {
  const Response response = ask(Method::post, "/v1/config");
  EXPECT_EQ(response.status, 405);
  EXPECT_EQ(header(response, "Allow"), "OPTIONS, GET, HEAD, PUT, PATCH");
  EXPECT_EQ(ask(Method::other, "/v1/tasks/gate").status, 405);
}

TEST_F(ApiTest, OptionsTellsWhatAPathTakes) {
  const Response response = ask(Method::options, "/v1/tasks/gate");
  EXPECT_EQ(response.status, 204);
  EXPECT_EQ(header(response, "Allow"), "OPTIONS, GET, HEAD, PATCH");
}

TEST_F(ApiTest, HeadAnswersAsGetDoes) { EXPECT_EQ(ask(Method::head, "/v1/status").status, 200); }

TEST_F(ApiTest, OnlyPlainTargetsAreTargets) {
  for (const char* target : {"", "v1/status", "*", "/v1//status", "/v1/status/", "/v1/../v1/status",
                             "/v1/%2e%2e/status", "/v1/tasks/gate%2Fx", "/v1/tasks/%00", "/v1/tasks/%zz",
                             "/v1/tasks/%4", "/v1/tasks/a%0ab", "/v1/tasks/a\\b", "/v1/status#x",
                             "http://localhost/v1/status", "/v1/tasks/\xc3\xa9", "/readyz?=1", "/readyz?&"}) {
    EXPECT_EQ(ask(Method::get, target).status, 400) << target;
  }
  EXPECT_EQ(ask(Method::get, "/v1").status, 404);
  EXPECT_EQ(ask(Method::get, "/index.html").status, 404);
  EXPECT_EQ(ask(Method::get, "/v1/tasks/gate%20x").status, 400);
}

TEST_F(ApiTest, ThePageIsPartOfTheProgramAndAsksNobodyElse) {
  const Response page = ask(Method::get, "/");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.content_type, "text/html; charset=utf-8");
  EXPECT_TRUE(page.body.starts_with("<!doctype html>"));
  EXPECT_NE(header(page, "Content-Security-Policy").find("default-src 'none'"), std::string::npos);
  for (const DashboardFile& file : dashboard_files()) {
    if (file.name.empty()) continue;  // the page itself
    if (file.of == PageOf::planner) {
      EXPECT_EQ(ask(Method::get, "/" + std::string(file.name)).status, 404) << file.name;
      continue;
    }
    EXPECT_NE(page.body.find('"' + std::string(file.name) + '"'), std::string::npos) << file.name;
    const Response response = ask(Method::get, "/" + std::string(file.name));
    EXPECT_EQ(response.status, 200) << file.name;
    EXPECT_EQ(response.content_type, file.type);
    EXPECT_GT(response.body.size(), 500U) << file.name;
    EXPECT_EQ(response.body.find("innerHTML"), std::string::npos) << file.name;
  }
  EXPECT_EQ(page.body.find("http://"), std::string::npos);
  EXPECT_EQ(page.body.find("https://"), std::string::npos);
}

TEST_F(ApiTest, OnlyKnownParametersAreTaken) {
  EXPECT_EQ(ask(Method::get, "/readyz?verbos").status, 400);
  EXPECT_EQ(ask(Method::get, "/readyz?verbose=yes").status, 400);
  EXPECT_EQ(ask(Method::get, "/readyz?verbose&verbose").status, 400);
  EXPECT_EQ(ask(Method::get, "/v1/status?verbose").status, 400);
}

TEST_F(ApiTest, ABodyIsJsonAndSmallAndOnlyWhereItBelongs) {
  Request asked = request(Method::patch, "/v1/limits", "{}");
  asked.content_type = "application/merge-patch+json; charset=utf-8";
  EXPECT_EQ(ask(asked).status, 202);
  for (const char* type : {"", "text/plain", "application/x-www-form-urlencoded", "application/jsonx"}) {
    asked.content_type = type;
    EXPECT_EQ(ask(asked).status, 415) << type;
  }
  EXPECT_EQ(ask(Method::get, "/v1/status", "{}").status, 413);
  EXPECT_EQ(ask(Method::patch, "/v1/limits", std::string(1024UL * 1024UL + 1, ' ')).status, 413);
  EXPECT_EQ(ask(Method::post, "/v1/config/reload", "{}").status, 400);
}

TEST_F(ApiTest, TheConfigurationInForceHasNoTag) {
  const Response response = ask(Method::get, "/v1/config?in_force=1");
  EXPECT_EQ(response.body, service_.in_force_text);
  EXPECT_EQ(header(response, "ETag"), "");
  Request asked = request(Method::get, "/v1/config?in_force=1");
  asked.if_none_match = "*";
  EXPECT_EQ(ask(asked).status, 200);
  EXPECT_EQ(ask(Method::get, "/v1/config?in_force=0").body, "{}");
}

TEST_F(ApiTest, ReadinessTellsWhyNot) {
  service_.ready = false;
  const Response response = ask(Method::get, "/readyz?verbose");
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(response.body, "[-] plan: generation 1\n[+] sources\nnot ready\n");
  EXPECT_EQ(ask(Method::get, "/readyz").body, "not ready\n");
  EXPECT_EQ(ask(Method::get, "/readyz?verbose=0").body, "not ready\n");
  service_.reason = "every source is lost";
  EXPECT_EQ(ask(Method::get, "/readyz").body, "not ready: every source is lost\n");
  EXPECT_EQ(ask(Method::get, "/livez").status, 200);
  EXPECT_EQ(ask(Method::get, "/v2/health/ready").status, 503);
  EXPECT_EQ(ask(Method::get, "/v2/models/gate/ready").status, 503);
}

TEST_F(ApiTest, AWriteAnswersWithItsGeneration) {
  const Response response = ask(Method::patch, "/v1/tasks/gate", R"({"fps":3})");
  EXPECT_EQ(json::parse(response.body), json({{"generation", 7}}));
  EXPECT_EQ(header(response, "ETag"), "\"v2\"");
  ASSERT_EQ(service_.changes.size(), 1U);
  EXPECT_EQ(service_.changes[0].kind, Change::Kind::task);
  EXPECT_EQ(service_.changes[0].task, "gate");
  EXPECT_EQ(service_.changes[0].text, R"({"fps":3})");
  EXPECT_FALSE(service_.changes[0].check_only);
}

TEST_F(ApiTest, MistakesComeBackWithTheirPlaces) {
  service_.outcome = {ChangeOutcome::Kind::invalid, 0, "", {{"#/fps", "is no number", "write 10"}}};
  const Response response = ask(Method::patch, "/v1/tasks/gate", R"({"fps":"x"})");
  EXPECT_EQ(response.status, 422);
  const json problem = json::parse(response.body);
  EXPECT_EQ(problem["status"], 422);
  EXPECT_EQ(problem["title"], "Unprocessable Content");
  EXPECT_EQ(problem["errors"],
            json::parse(R"([{"pointer":"#/fps","detail":"is no number","hint":"write 10"}])"));
}

TEST_F(ApiTest, AServiceThatIsNotReadyTakesNoChanges) {
  service_.outcome = {ChangeOutcome::Kind::unavailable};
  EXPECT_EQ(ask(Method::patch, "/v1/limits", "{}").status, 503);
}

TEST_F(ApiTest, AConfigurationIsReplacedOnlyWhenItIsTheOneThatIsMeant) {
  Request asked = request(Method::put, "/v1/config", "{}");
  for (const char* tag : {"\"v1\"", "*", "\"v0\", \"v1\""}) {
    asked.if_match = tag;
    EXPECT_EQ(ask(asked).status, 202) << tag;
  }
  for (const char* tag : {"\"v0\"", "v1", "\"v\""}) {
    asked.if_match = tag;
    EXPECT_EQ(ask(asked).status, 412) << tag;
  }
  // Patches are for any, or for the one they name.
  asked = request(Method::patch, "/v1/limits", "{}");
  asked.if_match = "\"v0\"";
  EXPECT_EQ(ask(asked).status, 412);
}

TEST_F(ApiTest, ACheckChangesNothing) {
  EXPECT_EQ(json::parse(ask(Method::post, "/v1/config/validate", "{}").body), json({{"valid", true}}));
  EXPECT_EQ(ask(Method::put, "/v1/config?dry_run=1", "{}").status, 200);
  ASSERT_EQ(service_.changes.size(), 2U);
  EXPECT_TRUE(service_.changes[0].check_only);
  EXPECT_TRUE(service_.changes[1].check_only);
}

TEST_F(ApiTest, AConfigurationThatTheClientHasIsNotSentAgain) {
  Request asked = request(Method::get, "/v1/config");
  asked.if_none_match = "\"v0\"";
  EXPECT_EQ(header(ask(asked), "ETag"), "\"v1\"");
  EXPECT_EQ(ask(asked).status, 200);
  asked.if_none_match = "W/\"v1\"";
  EXPECT_EQ(ask(asked).status, 304);
  EXPECT_EQ(ask(asked).body, "");
}

TEST_F(ApiTest, ADryRunSaysWhatWouldRunOrWhyNot) {
  EXPECT_EQ(ask(Method::post, "/v1/plan/dry-run", R"({"limits":{}})").body, R"({"status":"optimal"})");
  ASSERT_EQ(service_.dry_runs.size(), 1U);
  EXPECT_EQ(service_.dry_runs[0], R"({"limits":{}})");
  service_.dry = {DryRun::Kind::infeasible, R"({"status":"infeasible"})"};
  const Response conflict = ask(Method::post, "/v1/plan/dry-run", "{}");
  EXPECT_EQ(conflict.status, 409);
  EXPECT_EQ(json::parse(conflict.body)["plan"]["status"], "infeasible");
  service_.dry = {DryRun::Kind::unknown};
  EXPECT_EQ(ask(Method::post, "/v1/plan/dry-run", "{}").status, 503);
  service_.dry = {DryRun::Kind::invalid, "", {{"#", "no object", ""}}};
  EXPECT_EQ(ask(Method::post, "/v1/plan/dry-run", "[]").status, 422);
  EXPECT_TRUE(service_.changes.empty());
}

TEST_F(ApiTest, AChangeOfATaskThatWasMovedNamesItsBoxAndSoDoesItsDryRun) {
  service_.moved_task = "gone";
  service_.moved_to = {"north-08", "http://10.0.0.8:8080"};
  const std::string several = R"({"objective": "min_energy", "tasks": {"gate": {}, "gone": {"fps": 3}}})";
  for (const auto& [method, target, body] :
       {std::tuple(Method::post, "/v1/plan/dry-run", several),
        {Method::patch, "/v1/config", several},
        {Method::patch, "/v1/tasks/gone", std::string(R"({"fps": 3})")}}) {
    const Response response = ask(method, target, body);
    EXPECT_EQ(response.status, 409) << target;
    EXPECT_EQ(header(response, "Saccade-Box"), "north-08") << target;
    EXPECT_EQ(header(response, "Location"), std::string("http://10.0.0.8:8080") + target);
  }
  EXPECT_TRUE(service_.changes.empty());
  EXPECT_TRUE(service_.dry_runs.empty());
  service_.moved_to->api.clear();
  EXPECT_EQ(header(ask(Method::post, "/v1/plan/dry-run", several), "Location"), "");
  for (const char* others : {R"({"tasks": {"gate": {"fps": 3}}})", R"({"tasks": []})", R"([{"gone": {}}])"})
    EXPECT_EQ(ask(Method::post, "/v1/plan/dry-run", others).status, 200) << others;
  service_.moved_to.reset();
  EXPECT_EQ(ask(Method::post, "/v1/plan/dry-run", several).status, 200);
}

TEST_F(ApiTest, EventsGoOnWhereTheClientWas) {
  Request asked = request(Method::get, "/v1/events");
  EXPECT_EQ(ask(asked).events_after, 0U);
  asked.last_event_id = "41";
  EXPECT_EQ(ask(asked).events_after, 41U);
  for (const char* wrong : {"x", "1x", "-1", "99999999999999999999999"}) {
    asked.last_event_id = wrong;
    EXPECT_EQ(ask(asked).status, 400) << wrong;
  }
}

TEST_F(ApiTest, ATaskIsAModel) {
  const json model = json::parse(ask(Method::get, "/v2/models/gate").body);
  EXPECT_EQ(model["name"], "gate");
  EXPECT_EQ(model["versions"], json({"small", "big"}));
  EXPECT_EQ(model["inputs"][0], json::parse(R"({"name":"input","datatype":"FP32","shape":[2,3,4,4]})"));
}

}  // namespace
}  // namespace saccade::service
