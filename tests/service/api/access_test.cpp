// Who may ask the API for what: names, origins, tokens, roles, addresses.
#include "service/api/api.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/service/api/api_case.hpp"

namespace saccade::service {
namespace {

using nlohmann::json;

class AccessTest : public testing::ApiTest {};

TEST_F(AccessTest, ThePageNeedsNoTokenButWhatItAsksForDoes) {
  Api api(service_, {{"", "127.0.0.1", 8080}, {{Role::admin, "a-secret-of-some-length"}}});
  EXPECT_EQ(api.handle(request(Method::get, "/")).status, 200);
  EXPECT_EQ(api.handle(request(Method::get, "/dashboard.js")).status, 200);
  EXPECT_EQ(api.handle(request(Method::get, "/v1/status")).status, 401);
  Request elsewhere = request(Method::get, "/");
  elsewhere.host = "example.org";
  EXPECT_EQ(api.handle(elsewhere).status, 421);
}

TEST_F(AccessTest, AnotherMachinesNameIsNotThisMachine) {
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

TEST_F(AccessTest, APageOfAnotherOriginIsRefused) {
  Request asked = request(Method::patch, "/v1/limits", "{}");
  asked.origin = "http://localhost:8080";
  EXPECT_EQ(ask(asked).status, 202);
  for (const char* origin : {"http://evil.example", "null", "http://localhost", "https://localhost:8080"}) {
    asked.origin = origin;
    EXPECT_EQ(ask(asked).status, 403) << origin;
  }
}

TEST_F(AccessTest, ATokenIsAskedForWhereThereIsOne) {
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

TEST_F(AccessTest, ARoleMayDoWhatItIsFor) {
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

TEST_F(AccessTest, OnlyAnAdminSeesPasswords) {
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

TEST_F(AccessTest, GuessesAtTheTokenAreSlowedDownByAddress) {
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

TEST_F(AccessTest, AnAddressForHealthHasNothingElse) {
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

TEST_F(AccessTest, TheOriginKnowsTlsAndWhatIsDeclared) {
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

TEST_F(AccessTest, AHeaderThatStandsTwiceIsRefused) {
  Request asked = request(Method::get, "/livez");
  asked.repeated = true;
  EXPECT_EQ(ask(asked).status, 400);
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
