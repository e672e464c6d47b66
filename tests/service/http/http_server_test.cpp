// The server over real sockets, with clients that misbehave. A client's wait ends with an answer or
// with the connection; limits are set so low that they are reached at once.
#include "service/http/http_server.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <memory>
#include <thread>
#include <vector>

#include "tests/support/fake_service.hpp"
#include "tests/support/http_client.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::service {
namespace {

using test::HttpClient;

class HttpServerTest : public testing::Test {
 protected:
  HttpServerTest() { access_.address = {"", "127.0.0.1", 0}; }

  const config::ListenAddress& serve() {
    auto server = HttpServer::open(access_, service_, feed_, limits_);
    EXPECT_TRUE(server.ok()) << to_string(server.errors());
    server_ = std::move(server).value();
    return server_->address();
  }

  test::TemporaryFolder folder_;
  test::FakeService service_;
  EventFeed feed_{4};
  Access access_;
  ServerLimits limits_;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpServerTest, AnswersOneRequestAfterTheOther) {
  HttpClient client(serve());
  EXPECT_EQ(client.ask("GET", "/livez").body, "ok\n");
  EXPECT_EQ(client.ask("PATCH", "/v1/tasks/gate", R"({"fps":1})").status, 202);
  const test::HttpReply head = client.ask("HEAD", "/livez");
  EXPECT_EQ(head.headers.at("content-length"), "3");
  EXPECT_EQ(client.ask("GET", "/nowhere").headers.at("content-type"), "application/problem+json");
  EXPECT_EQ(client.ask("OPTIONS", "/v1/limits").headers.at("allow"), "OPTIONS, PATCH");
  EXPECT_EQ(client.ask("GET", "/livez").headers.at("x-content-type-options"), "nosniff");
  EXPECT_EQ(client.ask("GET", "/livez", "", "Connection: close\r\n").status, 200);
  EXPECT_TRUE(client.closed());
}

TEST_F(HttpServerTest, ListensOnASocketFileForOwnerAndGroup) {
  access_.address = {folder_ / "api.sock", "", 0};
  {
    HttpClient client(serve());
    EXPECT_EQ(client.ask("GET", "/livez").status, 200);
    struct stat facts {};
    ASSERT_EQ(stat((folder_ / "api.sock").c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 07777U, 0660U);
  }
  server_.reset();
  EXPECT_FALSE(std::filesystem::exists(folder_ / "api.sock"));
}

TEST_F(HttpServerTest, TakesNobodysPlace) {
  access_.address = {folder_ / "api.sock", "", 0};
  serve();
  EXPECT_FALSE(HttpServer::open(access_, service_, feed_).ok()) << "another service listens there";
  HttpClient still(server_->address());
  EXPECT_EQ(still.ask("GET", "/livez").status, 200);
  std::ofstream(folder_ / "file") << "mine";
  access_.address = {folder_ / "file", "", 0};
  EXPECT_FALSE(HttpServer::open(access_, service_, feed_).ok()) << "no socket";
  EXPECT_TRUE(std::filesystem::exists(folder_ / "file"));
}

TEST_F(HttpServerTest, BeyondThisMachineNeedsAToken) {
  access_.address = {"", "0.0.0.0", 0};
  const auto refused = HttpServer::open(access_, service_, feed_);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.errors()[0].what, "an address beyond this machine needs a token file");
}

TEST_F(HttpServerTest, WhatIsNoRequestIsRefusedAndTheConnectionClosed) {
  serve();
  for (const char* bytes : {"\r\n\r\nhello\r\n\r\n", "GET\r\n\r\n", "GET /livez HTTP/9.9\r\n\r\n",
                            "GET /livez HTTP/1.1\r\nbad header\r\n\r\n",
                            "GET /livez HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
                            "POST /v1/config/validate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n"
                            "Content-Length: 2\r\n\r\n{}",
                            "POST /v1/config/validate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n"
                            "Transfer-Encoding: chunked\r\n\r\n{}",
                            "POST /v1/config/validate HTTP/1.1\r\nHost: localhost\r\n"
                            "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}",
                            "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"}) {
    HttpClient client(server_->address());
    client.send(bytes);
    client.send_no_more();
    EXPECT_EQ(client.reply().status, 400) << bytes;
    EXPECT_TRUE(client.closed());
  }
  EXPECT_TRUE(service_.changes.empty());
}

TEST_F(HttpServerTest, RepeatedAndForeignHeadersAreRefused) {
  HttpClient client(serve());
  EXPECT_EQ(client.ask("GET", "/livez", "", "Host: localhost\r\n").status, 400);
  EXPECT_EQ(client.ask("GET", "/livez", "", "Authorization: a\r\nAuthorization: b\r\n").status, 400);
  EXPECT_EQ(client.ask("GET", "/livez", "", "Origin: http://evil.example\r\n").status, 403);
  client.send("GET /livez HTTP/1.1\r\nHost: evil.example\r\n\r\n");
  EXPECT_EQ(client.reply().status, 421);
}

TEST_F(HttpServerTest, AHeaderHasItsLimit) {
  HttpClient client(serve());
  EXPECT_EQ(client.ask("GET", "/livez", "", "X: " + std::string(7000, 'x') + "\r\n").status, 200);
  EXPECT_EQ(client.ask("GET", "/livez", "", "X: " + std::string(9000, 'x') + "\r\n").status, 431);
  EXPECT_TRUE(client.closed());
}

TEST_F(HttpServerTest, AHeaderOfManyFieldsHasTheSameLimit) {
  serve();
  const auto status_of = [&](std::size_t count) {
    HttpClient client(server_->address());
    std::string fields;
    for (std::size_t i = 0; i < count; ++i) fields += "X: y\r\n";
    return client.ask("GET", "/livez", "", fields).status;
  };
  const std::size_t others = std::string("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n").size();
  const std::size_t most = (limits_.header_bytes - others) / 6;
  EXPECT_EQ(status_of(most), 200);
  for (const std::size_t more : {1U, 40U, 300U, 1200U, 20'000U})
    EXPECT_EQ(status_of(most + more), 431) << more;
}

TEST_F(HttpServerTest, ABodyHasItsLimitHoweverItIsSent) {
  serve();
  const std::string head =
      "POST /v1/config/validate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
  const std::string chunk = "10000\r\n" + std::string(0x10000, ' ') + "\r\n";
  {
    HttpClient client(server_->address());
    client.send(head + "Content-Length: 1048577\r\n\r\n");
    EXPECT_EQ(client.reply().status, 413);
  }
  {
    HttpClient client(server_->address());
    client.send(head + "Transfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 17; ++i) client.send(chunk);
    client.send("0\r\n\r\n");
    EXPECT_EQ(client.reply().status, 413);
  }
  {
    HttpClient client(server_->address());
    client.send(head + "Transfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 16; ++i) client.send(chunk);
    client.send("0\r\n\r\n");
    EXPECT_EQ(client.reply().status, 200);
  }
  {
    HttpClient client(server_->address());
    EXPECT_EQ(client.ask("GET", "/v1/status", "{}").status, 413);
    client.send_no_more();
    EXPECT_TRUE(client.closed());
  }
}

TEST_F(HttpServerTest, AClientThatAsksFirstIsToldToGoOn) {
  HttpClient client(serve());
  client.send(
      "PATCH /v1/limits HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
      "2\r\n"
      "Expect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.reply().status, 100);
  client.send("{}");
  EXPECT_EQ(client.reply().status, 202);
  // What would be refused is refused before the body is sent.
  client.send(
      "PATCH /v1/limits HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n"
      "Expect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.reply().status, 415);
}

TEST_F(HttpServerTest, ARequestThatIsNeverWholeIsCutOff) {
  limits_.request_time = std::chrono::milliseconds(30);
  serve();
  for (const char* part :
       {"", "GET /li", "GET /livez HTTP/1.1\r\nHost: localhost\r\n",
        "PATCH /v1/limits HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Content-Length: 9\r\n\r\n{"}) {
    HttpClient client(server_->address());
    client.send(part);
    EXPECT_TRUE(client.closed()) << part;
  }
  EXPECT_TRUE(service_.changes.empty());
}

TEST_F(HttpServerTest, OnlyAClientThatCanKeepABodyBackIsToldToGoOn) {
  HttpClient client(serve());
  EXPECT_EQ(client.ask("GET", "/livez", "", "Expect: 100-continue\r\n").status, 200) << "there is no body";
  client.send(
      "PATCH /v1/limits HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
      "2\r\nExpect: 100-continue\r\n\r\n{}");
  EXPECT_EQ(client.reply().status, 202) << "HTTP/1.0 knows no interim answers";
}

TEST_F(HttpServerTest, WhatFollowsABodyIsNoHeader) {
  HttpClient client(serve());
  const std::string chunks = "2\r\n{}\r\n0\r\n";
  client.send(
      "PUT /v1/config HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Transfer-Encoding: chunked\r\n\r\n" +
      chunks + "If-Match: *\r\n\r\n");
  EXPECT_EQ(client.reply().status, 428);
  client.send("POST /v1/config/validate HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n" +
              chunks + "Content-Type: application/json\r\n\r\n");
  EXPECT_EQ(client.reply().status, 415);
  client.send(
      "POST /v1/config/validate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Transfer-Encoding: chunked\r\n\r\n" +
      chunks + "Host: evil.example\r\n\r\n");
  EXPECT_EQ(client.reply().status, 200);
}

TEST_F(HttpServerTest, WhoWaitsLongestMakesRoom) {
  limits_.connections = 2;
  limits_.vital_connections = 1;
  serve();
  HttpClient first(server_->address());
  EXPECT_EQ(first.ask("GET", "/livez").status, 200);
  HttpClient second(server_->address());
  EXPECT_EQ(second.ask("GET", "/livez").status, 200);
  HttpClient third(server_->address());
  EXPECT_EQ(third.ask("GET", "/livez").status, 200);
  EXPECT_TRUE(first.closed());
  EXPECT_EQ(second.ask("GET", "/livez").status, 200);
}

// Who only holds connections, or sends slowly, keeps nobody else from being served.
TEST_F(HttpServerTest, WhoWaitsLongestMakesRoomForARequest) {
  limits_.connections = 4;
  limits_.vital_connections = 2;
  serve();
  HttpClient first(server_->address());
  first.send("GET /v1/st");
  HttpClient second(server_->address());
  EXPECT_EQ(second.ask("GET", "/livez").status, 200);
  HttpClient third(server_->address());
  EXPECT_EQ(third.ask("GET", "/livez").status, 200);
  EXPECT_EQ(third.ask("GET", "/v1/status").status, 200);
  EXPECT_TRUE(first.closed());
  EXPECT_EQ(second.ask("GET", "/v1/status").status, 200) << "two are no crowd";
}

class EventStreamTest : public HttpServerTest {
 protected:
  static std::string subscribe(HttpClient& client, const std::string& headers = {}) {
    const test::HttpReply reply = client.ask("GET", "/v1/events", "", headers);
    return std::to_string(reply.status) + " " +
           (reply.headers.contains("content-type") ? reply.headers.at("content-type") : "");
  }
  static std::string event(HttpClient& client) {
    std::string text;
    for (std::string line = client.line(); !line.empty(); line = client.line()) text += line + "|";
    return text;
  }
};

TEST_F(EventStreamTest, TellsWhatWasAndWhatComes) {
  feed_.publish("plan", R"({"a":1})");
  HttpClient client(serve());
  EXPECT_EQ(subscribe(client), "200 text/event-stream");
  EXPECT_EQ(event(client), R"(id: 1|event: plan|data: {"a":1}|)");
  feed_.publish("swap", "{}");
  EXPECT_EQ(event(client), "id: 2|event: swap|data: {}|");
}

TEST_F(EventStreamTest, GoesOnAfterTheLastEventAndSaysWhatIsLost) {
  for (int i = 0; i < 7; ++i) feed_.publish("plan", "{}");
  serve();
  HttpClient last(server_->address());
  EXPECT_EQ(subscribe(last, "Last-Event-ID: 6\r\n"), "200 text/event-stream");
  EXPECT_EQ(event(last), "id: 7|event: plan|data: {}|");
  HttpClient late(server_->address());
  EXPECT_EQ(subscribe(late, "Last-Event-ID: 1\r\n"), "200 text/event-stream");
  EXPECT_EQ(event(late), R"(event: lost|data: {"count":2}|)");
  EXPECT_EQ(event(late), "id: 4|event: plan|data: {}|");
}

TEST_F(EventStreamTest, BeatsWhileNothingHappens) {
  limits_.heartbeat = std::chrono::milliseconds(5);
  HttpClient client(serve());
  EXPECT_EQ(subscribe(client), "200 text/event-stream");
  EXPECT_EQ(event(client), ":|");
  EXPECT_EQ(event(client), ":|");
}

TEST_F(EventStreamTest, ThereAreOnlySoMany) {
  limits_.event_streams = 1;
  serve();
  auto first = std::make_unique<HttpClient>(server_->address());
  EXPECT_EQ(subscribe(*first), "200 text/event-stream");
  HttpClient second(server_->address());
  EXPECT_EQ(second.ask("GET", "/v1/events").headers.at("retry-after"), "10");
}

TEST_F(EventStreamTest, TheLastPlacesAreForHealthAndMetrics) {
  limits_.connections = 4;
  limits_.vital_connections = 2;
  serve();
  HttpClient first(server_->address());
  EXPECT_EQ(subscribe(first), "200 text/event-stream");
  HttpClient second(server_->address());
  EXPECT_EQ(subscribe(second), "200 text/event-stream");
  HttpClient third(server_->address());
  const test::HttpReply crowded = third.ask("GET", "/v1/status");
  EXPECT_EQ(crowded.status, 503);
  EXPECT_EQ(crowded.headers.at("retry-after"), "1");
  EXPECT_EQ(third.ask("GET", "/metrics").status, 200);
}

TEST_F(EventStreamTest, AStreamEndsWithTheServer) {
  HttpClient client(serve());
  EXPECT_EQ(subscribe(client), "200 text/event-stream");
  server_.reset();
  EXPECT_TRUE(client.closed());
  feed_.publish("plan", "{}");
}

TEST(TokenFile, IsOneSecretLineOfItsOwner) {
  const test::TemporaryFolder folder;
  const auto write = [&](const std::string& text, mode_t mode) {
    std::ofstream(folder / "token") << text;
    chmod((folder / "token").c_str(), mode);
    return read_token(folder / "token");
  };
  EXPECT_EQ(write("0123456789abcdef\n", 0600).value(), "0123456789abcdef");
  EXPECT_FALSE(write("0123456789abcdef\n", 0640).ok());
  EXPECT_FALSE(write("short\n", 0600).ok());
  EXPECT_FALSE(write("0123456789 abcdef\n", 0600).ok());
  EXPECT_FALSE(write("root 0123456789abcdef\n", 0600).ok()) << "no such role";
  EXPECT_FALSE(write("read short\n", 0600).ok());
  EXPECT_EQ(write("read 0123456789abcdef\n\nadmin fedcba9876543210\ninfer 0000000000000000\n", 0600).value(),
            "fedcba9876543210")
      << "a client takes what may do most";
  const auto tokens = read_tokens(folder / "token");
  ASSERT_EQ(tokens.value().size(), 3U);
  EXPECT_EQ(tokens.value()[0].role, Role::read);
  EXPECT_EQ(tokens.value()[0].secret, "0123456789abcdef");
  EXPECT_EQ(tokens.value()[2].role, Role::infer);
  EXPECT_FALSE(write(std::string(600, 'x'), 0600).ok());
  EXPECT_FALSE(write("", 0600).ok());
  EXPECT_FALSE(read_token(folder / "none").ok());
  EXPECT_FALSE(read_token(folder.path()).ok());

  // A credential of the service manager has the modes that the manager gives it.
  setenv("CREDENTIALS_DIRECTORY", folder.path().c_str(), 1);
  EXPECT_TRUE(write("0123456789abcdef\n", 0440).ok());
  unsetenv("CREDENTIALS_DIRECTORY");
  EXPECT_FALSE(read_token(folder / "token").ok());
}

}  // namespace
}  // namespace saccade::service
