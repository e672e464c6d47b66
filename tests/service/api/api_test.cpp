// The API as a function: every entry of its table, every way to be refused.
#include "service/api/api.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/support/fake_service.hpp"

namespace saccade::service {
namespace {

using nlohmann::json;

class ApiTest : public testing::Test {
 protected:
  static Access loopback() { return {{"", "127.0.0.1", 8080}}; }

  static Request request(Method method, const std::string& target, const std::string& body = {}) {
    Request asked;
    asked.method = method;
    asked.target = target;
    asked.host = "localhost:8080";
    if (!body.empty()) asked.content_type = "application/json";
    asked.body = body;
    return asked;
  }
  Response ask(const Request& asked) { return Api(service_, loopback()).handle(asked); }
  Response ask(Method method, const std::string& target, const std::string& body = {}) {
    return ask(request(method, target, body));
  }
  static std::string header(const Response& response, const std::string& name) {
    for (const auto& [key, value] : response.headers) {
      if (key == name) return value;
    }
    return {};
  }

  test::FakeService service_;
};

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
  for (const std::string file : {"dashboard.css", "dashboard.js", "sight.js"}) {
    EXPECT_NE(page.body.find('"' + file + '"'), std::string::npos) << file;
    const Response response = ask(Method::get, "/" + file);
    EXPECT_EQ(response.status, 200) << file;
    EXPECT_GT(response.body.size(), 1000U) << file;
  }
  EXPECT_EQ(page.body.find("http://"), std::string::npos);
  EXPECT_EQ(page.body.find("https://"), std::string::npos);
}

TEST_F(ApiTest, ThePageNeedsNoTokenButWhatItAsksForDoes) {
  Api api(service_, {{"", "127.0.0.1", 8080}, {{Role::admin, "a-secret-of-some-length"}}});
  EXPECT_EQ(api.handle(request(Method::get, "/")).status, 200);
  EXPECT_EQ(api.handle(request(Method::get, "/dashboard.js")).status, 200);
  EXPECT_EQ(api.handle(request(Method::get, "/v1/status")).status, 401);
  Request elsewhere = request(Method::get, "/");
  elsewhere.host = "example.org";
  EXPECT_EQ(api.handle(elsewhere).status, 421);
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

TEST_F(ApiTest, AnotherMachinesNameIsNotThisMachine) {
  for (const char* host : {"localhost", "LOCALHOST:1", "127.0.0.1", "127.0.0.2:80", "[::1]", "[::1]:80"}) {
    Request asked = request(Method::get, "/v1/status");
    asked.host = host;
    EXPECT_EQ(ask(asked).status, 200) << host;
  }
  for (const char* host : {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "127.0.0.1@x",
                           "localhost:", "localhost:8080x", "[::1", "[::1]x", "[", ":80", "10.0.0.1"}) {
    Request asked = request(Method::get, "/v1/status");
    asked.host = host;
    EXPECT_EQ(ask(asked).status, 421) << host;
  }
  Request asked = request(Method::get, "/v1/status");
  asked.host.clear();
  EXPECT_EQ(ask(asked).status, 400);
}

TEST_F(ApiTest, APageOfAnotherOriginIsRefused) {
  Request asked = request(Method::patch, "/v1/limits", "{}");
  asked.origin = "http://localhost:8080";
  EXPECT_EQ(ask(asked).status, 202);
  for (const char* origin : {"http://evil.example", "null", "http://localhost", "https://localhost:8080"}) {
    asked.origin = origin;
    EXPECT_EQ(ask(asked).status, 403) << origin;
  }
}

TEST_F(ApiTest, ATokenIsAskedForWhereThereIsOne) {
  Access access = {{"", "10.1.2.3", 80}, {{Role::admin, "0123456789abcdef"}}};
  Api api(service_, access);
  Request asked = request(Method::get, "/livez");
  asked.host = "camera-box.example";
  const Response refused = api.handle(asked);
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(header(refused, "WWW-Authenticate"), "Bearer");
  for (const char* wrong : {"Bearer", "Bearer ", "Bearer 0123456789abcdeg", "Bearer 0123456789abcdef0",
                            "Bearer 0123456789abcde", "Basic 0123456789abcdef", "0123456789abcdef"}) {
    asked.authorization = wrong;
    EXPECT_EQ(api.handle(asked).status, 401) << wrong;
  }
  asked.authorization = "bearer 0123456789abcdef";
  EXPECT_EQ(api.handle(asked).status, 200);
}

TEST_F(ApiTest, ARoleMayDoWhatItIsFor) {
  const Access access = {{"", "127.0.0.1", 8080},
                         {{Role::read, "reading-0123456789"},
                          {Role::infer, "inferring-01234567"},
                          {Role::admin, "administrating-0123"}}};
  Api api(service_, access);
  const auto statuses = [&](Method method, const std::string& target, const std::string& body = {}) {
    std::string text;
    for (const Token& token : access.tokens) {
      Request asked = request(method, target, body);
      asked.authorization = "Bearer " + token.secret;
      text += (text.empty() ? "" : " ") + std::to_string(api.handle(asked).status);
    }
    return text;
  };
  EXPECT_EQ(statuses(Method::get, "/"), "200 200 200");
  EXPECT_EQ(statuses(Method::get, "/livez"), "200 200 200");
  EXPECT_EQ(statuses(Method::get, "/metrics"), "200 403 200");
  EXPECT_EQ(statuses(Method::get, "/v1/status"), "200 403 200");
  EXPECT_EQ(statuses(Method::get, "/v1/tasks/gate/thumbnail"), "204 403 204");
  EXPECT_EQ(statuses(Method::get, "/v2/models/gate"), "200 200 200");
  EXPECT_EQ(statuses(Method::patch, "/v1/tasks/gate", R"({"fps":1})"), "403 403 202");
  EXPECT_EQ(statuses(Method::patch, "/v1/config", "{}"), "403 403 202");
  EXPECT_EQ(statuses(Method::post, "/v1/config/reload"), "403 403 202");
  EXPECT_EQ(statuses(Method::post, "/v1/plan/dry-run", "{}"), "403 403 200");
  EXPECT_EQ(statuses(Method::get, "/nowhere"), "404 404 404");
  service_.pushed = false;
  EXPECT_EQ(statuses(Method::post, "/v2/models/gate/infer", "{}"), "403 409 409");
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

TEST_F(ApiTest, OnlyAnAdminSeesPasswords) {
  service_.document_text =
      R"({"tasks": [{"source": {"path": "rtsp://me:secret@camera/one"}}], "version": 1})";
  const Access access = {{"", "127.0.0.1", 8080},
                         {{Role::read, "reading-0123456789"}, {Role::admin, "administrating-0123"}}};
  Api api(service_, access);
  Request asked = request(Method::get, "/v1/config");
  asked.authorization = "Bearer reading-0123456789";
  const Response masked = api.handle(asked);
  EXPECT_EQ(json::parse(masked.body).at("tasks").at(0).at("source").at("path"), "rtsp://***@camera/one");
  EXPECT_EQ(header(masked, "ETag"), "\"v1\"");
  asked.authorization = "Bearer administrating-0123";
  EXPECT_EQ(api.handle(asked).body, service_.document_text);
}

TEST_F(ApiTest, GuessesAtTheTokenAreSlowedDownByAddress) {
  const auto clock = std::make_shared<ManualClock>();
  Api api(service_, {{"", "10.1.2.3", 80}, {{Role::admin, "0123456789abcdef"}}}, clock);
  const auto attempt = [&](const std::string& token, const std::string& from) {
    Request asked = request(Method::get, "/v1/status");
    asked.authorization = token;
    asked.remote = from;
    return api.handle(asked).status;
  };
  for (int i = 0; i < FailedAttempts::kAtOnce; ++i) EXPECT_EQ(attempt("Bearer guess", "10.1.2.9"), 401);
  EXPECT_EQ(attempt("Bearer guess", "10.1.2.9"), 429);
  EXPECT_EQ(attempt("Bearer 0123456789abcdef", "10.1.2.9"), 429) << "else guesses would go on unhindered";
  EXPECT_EQ(attempt("Bearer 0123456789abcdef", "10.1.2.8"), 200);
  EXPECT_EQ(attempt("", "10.1.2.9"), 401) << "no attempt";
  clock->advance(FailedAttempts::kOneMore);
  EXPECT_EQ(attempt("Bearer guess", "10.1.2.9"), 401);
  EXPECT_EQ(attempt("Bearer guess", "10.1.2.9"), 429);
  clock->advance(FailedAttempts::kOneMore * FailedAttempts::kAtOnce);
  EXPECT_EQ(attempt("Bearer 0123456789abcdef", "10.1.2.9"), 200);
}

TEST(FailedAttempts, RememberOnlySoManyAddresses) {
  FailedAttempts attempts;
  for (int i = 0; i < FailedAttempts::kAtOnce; ++i) attempts.failed("first", TimePoint{});
  for (std::size_t i = 0; i <= FailedAttempts::kMostAddresses; ++i) {
    attempts.failed("other" + std::to_string(i), TimePoint{});
  }
  EXPECT_TRUE(attempts.waits("first", TimePoint{})) << "the one that failed most stays";
}

TEST_F(ApiTest, AnAddressForHealthHasNothingElse) {
  Access access = {{"", "0.0.0.0", 9090}};
  access.health_only = true;
  Api api(service_, access);
  Request asked = request(Method::get, "/metrics");
  asked.host = "camera-box:9090";
  for (const char* open : {"/livez", "/readyz?verbose", "/metrics"}) {
    asked.target = open;
    EXPECT_EQ(api.handle(asked).status, 200) << open;
  }
  for (const char* closed : {"/", "/v1/status", "/v1/config", "/v2/models/gate", "/nowhere"}) {
    asked.target = closed;
    EXPECT_EQ(api.handle(asked).status, 404) << closed;
  }
}

TEST_F(ApiTest, TheOriginKnowsTlsAndWhatIsDeclared) {
  Access access = loopback();
  const auto status = [&](const std::string& host, const std::string& origin) {
    Request asked = request(Method::patch, "/v1/limits", "{}");
    asked.host = host;
    asked.origin = origin;
    return Api(service_, access).handle(asked).status;
  };
  access.tls = config::TlsFiles{"cert.pem", "key.pem"};
  EXPECT_EQ(status("localhost:8080", "https://localhost:8080"), 202);
  EXPECT_EQ(status("localhost:8080", "http://localhost:8080"), 403);
  access.tls.reset();
  EXPECT_EQ(status("cameras.example", "https://cameras.example"), 421) << "not declared";
  access.origin = "https://cameras.example";  // a proxy in front
  EXPECT_EQ(status("cameras.example", "https://cameras.example"), 202);
  EXPECT_EQ(status("localhost:8080", "https://cameras.example"), 202) << "the proxy writes a Host of its own";
  EXPECT_EQ(status("cameras.example", "https://evil.example"), 403);
  EXPECT_EQ(status("evil.example", "https://cameras.example"), 421);
}

TEST_F(ApiTest, AHeaderThatStandsTwiceIsRefused) {
  Request asked = request(Method::get, "/livez");
  asked.repeated = true;
  EXPECT_EQ(ask(asked).status, 400);
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

TEST(ListenAddress, IsLiteral) {
  EXPECT_EQ(to_string(*config::listen_address_from("127.0.0.1:0")), "http://127.0.0.1:0");
  EXPECT_EQ(to_string(*config::listen_address_from("[::1]:8080")), "http://[::1]:8080");
  EXPECT_EQ(to_string(*config::listen_address_from("unix:/run/s.sock")), "unix:/run/s.sock");
  EXPECT_TRUE(config::listen_address_from("127.9.9.9:1")->is_local());
  EXPECT_TRUE(config::listen_address_from("[::1]:1")->is_local());
  EXPECT_FALSE(config::listen_address_from("0.0.0.0:1")->is_local());
  EXPECT_FALSE(config::listen_address_from("[::]:1")->is_local());
  for (const char* wrong :
       {"", "8080", ":8080", "localhost:8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1",
        "127.0.0.1:80x", "::1:80", "[127.0.0.1]:80", "unix:", "127.1:80"}) {
    EXPECT_FALSE(config::listen_address_from(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace saccade::service
