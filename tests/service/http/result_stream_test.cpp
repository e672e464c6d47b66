// The streams of results over real sockets: both formats, filters, readers that are slow or leave, roles and
// limits; and the newest result and the picture of a task.
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "results/record.hpp"
#include "service/http/http_server.hpp"
#include "tests/support/fake_service.hpp"
#include "tests/support/http_client.hpp"

namespace saccade::service {
namespace {

using nlohmann::json;
using test::HttpClient;
using test::HttpReply;

ResultFeed::Item seen(const std::string& task, std::int64_t frame, std::size_t objects = 1) {
  auto result = std::make_shared<results::Result>();
  result->task = task;
  result->frame = frame;
  result->width = 640;
  result->height = 480;
  result->objects.resize(objects, {"person", 0, 0.9, {1.0F, 2.0F, 3.0F, 4.0F}, 0});
  return result;
}
std::string record(const std::string& task, std::int64_t frame) {
  return results::record_of(*seen(task, frame), "yard-box");
}

class ResultStreamTest : public testing::Test {
 protected:
  ResultStreamTest() { access_.address = {"", "127.0.0.1", 0}; }
  const config::ListenAddress& serve() {
    auto server = HttpServer::open(access_, service_, events_, limits_);
    EXPECT_TRUE(server.ok()) << to_string(server.errors());
    server_ = std::move(server).value();
    return server_->address();
  }
  // A connection that streams.
  [[nodiscard]] std::unique_ptr<HttpClient> follow(const std::string& query = {},
                                                   const std::string& headers = {},
                                                   const std::string& type = "text/event-stream") {
    auto client = std::make_unique<HttpClient>(server_->address());
    const HttpReply reply = client->ask("GET", "/v1/results" + query, "", headers);
    EXPECT_EQ(reply.status, 200) << reply.body;
    EXPECT_EQ(reply.status == 200 ? reply.headers.at("content-type") : "", type);
    return client;
  }
  static std::string event(HttpClient& client) {
    std::string text;
    for (std::string line = client.line(); !line.empty(); line = client.line()) text += line + "|";
    return text;
  }
  [[nodiscard]] HttpReply get(const std::string& target, const std::string& headers = {}) const {
    return HttpClient(server_->address()).ask("GET", target, "", headers);
  }
  void wait_for_readers(std::int64_t count) {
    while (service_.feed.counts().readers != count) std::this_thread::yield();
  }

  test::FakeService service_;
  EventFeed events_{4};
  Access access_;
  ServerLimits limits_;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(ResultStreamTest, ResultsComeAsEventsOrAsLines) {
  serve();
  const auto events = follow();
  const auto accepted = follow("", "Accept: application/x-ndjson\r\n", "application/x-ndjson");
  const auto asked = follow("?format=ndjson", "Accept: */*\r\n", "application/x-ndjson");
  const auto both = follow("", "Accept: text/event-stream, application/x-ndjson\r\n");
  const auto insisted = follow("?format=sse", "Accept: application/x-ndjson\r\n");
  service_.feed.publish(seen("gate", 41));
  service_.feed.publish(seen("gate", 42));
  for (HttpClient* client : {events.get(), both.get(), insisted.get()}) {
    EXPECT_EQ(event(*client), "id: 1|event: result|data: " + record("gate", 41) + "|");
    EXPECT_EQ(event(*client), "id: 2|event: result|data: " + record("gate", 42) + "|");
  }
  for (HttpClient* client : {accepted.get(), asked.get()}) {
    EXPECT_EQ(client->line(), record("gate", 41));
    EXPECT_EQ(client->line(), record("gate", 42));
  }
}

TEST_F(ResultStreamTest, OfTheTasksThatAreWanted) {
  serve();
  const auto gate = follow("?task=gate&format=ndjson", "", "application/x-ndjson");
  const auto twice = follow("?task=gate,gate&format=ndjson", "", "application/x-ndjson");
  service_.feed.publish(seen("door", 1));
  service_.feed.publish(seen("gate", 2));
  EXPECT_EQ(gate->line(), record("gate", 2));
  EXPECT_EQ(twice->line(), record("gate", 2));
  const HttpReply unknown = get("/v1/results?task=gate,nowhere");
  EXPECT_EQ(unknown.status, 404);
  EXPECT_NE(unknown.body.find("there is no task `nowhere`"), std::string::npos) << unknown.body;
  EXPECT_EQ(get("/v1/results?format=xml").status, 400);
  EXPECT_EQ(get("/v1/results?labels=car").status, 400) << "there is no such parameter";
  EXPECT_EQ(get("/v1/results", "Last-Event-ID: x\r\n").status, 400);
  EXPECT_EQ(HttpClient(server_->address()).ask("HEAD", "/v1/results").status, 200);
  EXPECT_EQ(HttpClient(server_->address()).ask("PUT", "/v1/results").status, 405);
}

// Records in which nothing passes are not sent, however many they are; what does not pass is left out.
TEST_F(ResultStreamTest, OfTheLabelsAndScoresThatAreWanted) {
  serve();
  const auto cars = follow("?label=car&min_score=0.5&format=ndjson", "", "application/x-ndjson");
  const auto sure = follow("?min_score=0.95&format=ndjson", "", "application/x-ndjson");
  for (int frame = 1; frame <= 40; ++frame) service_.feed.publish(seen("gate", frame));  // people, 0.9
  auto both = std::make_shared<results::Result>(*seen("gate", 41));
  both->objects.push_back({"car", 1, 0.6, {1.0F, 2.0F, 3.0F, 4.0F}, 0});
  both->objects.push_back({"car", 1, 0.4, {1.0F, 2.0F, 3.0F, 4.0F}, 0});
  both->presence = {{"person", 1}, {"car", 2}};
  service_.feed.publish(both);
  const auto record_in = [](HttpClient& client) {  // after those that the short feed of this test lost
    json line = json::parse(client.line());
    while (line.contains("lost")) line = json::parse(client.line());
    return line;
  };
  const json seen_cars = record_in(*cars);
  EXPECT_EQ(seen_cars.value("frame", 0), 41) << seen_cars;
  ASSERT_EQ(seen_cars.at("objects").size(), 1U);
  EXPECT_EQ(seen_cars.at("objects").at(0).at("label"), "car");
  EXPECT_EQ(seen_cars.at("presence"), (json{{"car", 2}}));
  auto certain = std::make_shared<results::Result>(*seen("gate", 42));
  certain->objects.front().score = 1.0;
  service_.feed.publish(certain);
  EXPECT_EQ(record_in(*sure).value("frame", 0), 42);
  const HttpReply misspelt = get("/v1/results?label=persn");
  EXPECT_EQ(misspelt.status, 400);
  EXPECT_NE(misspelt.body.find("did you mean `person`?"), std::string::npos) << misspelt.body;
  for (const char* const score : {"1.5", "-1", "x", "0.5x", "nan"}) {
    EXPECT_EQ(get("/v1/results?min_score=" + std::string(score)).status, 400) << score;
  }
}

TEST_F(ResultStreamTest, AReaderThatReturnsContinues) {
  serve();
  for (int i = 1; i <= 6; ++i) service_.feed.publish(seen("gate", i));  // the feed has four of them
  const auto soon = follow("", "Last-Event-ID: 5\r\n");
  EXPECT_EQ(event(*soon), "id: 6|event: result|data: " + record("gate", 6) + "|");
  const auto late = follow("", "Last-Event-ID: 1\r\n");
  EXPECT_EQ(event(*late), R"(event: lost|data: {"count":1}|)");
  EXPECT_EQ(event(*late), "id: 3|event: result|data: " + record("gate", 3) + "|");
  const auto lines = follow("?format=ndjson", "Last-Event-ID: 1\r\n", "application/x-ndjson");
  EXPECT_EQ(lines->line(), R"({"lost":1})");
  EXPECT_EQ(lines->line(), record("gate", 3));
}

// It takes nothing until everything was published: more than sockets and the feed hold. Meanwhile another one
// gets every result of its task at once.
TEST_F(ResultStreamTest, ASlowReaderLosesTheOldestAndHoldsUpNobody) {
  limits_.answer_time = std::chrono::minutes(5);
  service_.another = "door";
  serve();
  constexpr std::uint64_t kLarge = 600;  // of 64 KiB
  const auto slow = follow("?task=gate&format=ndjson", "", "application/x-ndjson");
  const auto quick = follow("?task=door&format=ndjson", "", "application/x-ndjson");
  const ResultFeed::Item large = seen("gate", 1, 2000);
  for (std::uint64_t i = 0; i < kLarge; ++i) {
    service_.feed.publish(large);
    if (i % 50 != 0) continue;
    service_.feed.publish(seen("door", static_cast<std::int64_t>(i)));
    EXPECT_EQ(quick->line(), record("door", static_cast<std::int64_t>(i)));
  }
  service_.feed.publish(seen("gate", 2));  // the last
  std::uint64_t got = 0;
  std::uint64_t lost = 0;
  for (bool last = false; !last;) {
    const json line = json::parse(slow->line());
    if (line.contains("lost")) {
      lost += line.at("lost").get<std::uint64_t>();
    } else {
      ++got;
      last = line.at("frame") == 2;
    }
  }
  EXPECT_EQ(got + lost, kLarge + 1);
  EXPECT_GT(lost, 0U);
  EXPECT_EQ(service_.feed.counts().lost, static_cast<std::int64_t>(lost));
}

TEST_F(ResultStreamTest, AReaderThatLeavesIsForgotten) {
  serve();
  auto leaves = follow();
  const auto stays = follow();
  EXPECT_EQ(service_.feed.counts().readers, 2);
  leaves.reset();
  wait_for_readers(1);
  service_.feed.publish(seen("gate", 7));
  EXPECT_EQ(event(*stays), "id: 1|event: result|data: " + record("gate", 7) + "|");
}

TEST_F(ResultStreamTest, BeatsWhileNothingIsSeen) {
  limits_.heartbeat = std::chrono::milliseconds(5);
  serve();
  const auto events = follow();
  EXPECT_EQ(event(*events), ":|");
  HttpClient lines(server_->address());
  EXPECT_EQ(lines.ask("GET", "/v1/results?format=ndjson").status, 200);
  EXPECT_FALSE(lines.closed()) << "something came";
}

TEST_F(ResultStreamTest, SharesItsPlacesWithTheStreamsOfEvents) {
  limits_.event_streams = 2;
  serve();
  auto results = follow();
  HttpClient events(server_->address());
  EXPECT_EQ(events.ask("GET", "/v1/events").status, 200);
  EXPECT_EQ(get("/v1/results").status, 503);
  EXPECT_EQ(get("/v1/events").headers.at("retry-after"), "10");
  results.reset();
  wait_for_readers(0);
  std::unique_ptr<HttpClient> again;
  do {  // its place is free once its handlers have run
    again = std::make_unique<HttpClient>(server_->address());
  } while (again->ask("GET", "/v1/results").status != 200);
  service_.feed.publish(seen("gate", 1));
  EXPECT_NE(event(*again), "");
}

TEST_F(ResultStreamTest, EndsWithTheServer) {
  serve();
  const auto client = follow();
  server_.reset();
  EXPECT_TRUE(client->closed());
  EXPECT_EQ(service_.feed.counts().readers, 0);
  service_.feed.publish(seen("gate", 1));
}

TEST_F(ResultStreamTest, WhoMayReadMayFollow) {
  access_.tokens = {{Role::read, "reader-token-0000"}, {Role::infer, "sender-token-0000"}};
  serve();
  const std::string reader = "Authorization: Bearer reader-token-0000\r\n";
  const std::string sender = "Authorization: Bearer sender-token-0000\r\n";
  service_.feed.publish(seen("gate", 1));
  service_.shown = {1, "", [](bool) { return std::string("jpeg"); }};
  for (const char* path : {"/v1/results", "/v1/tasks/gate/result", "/v1/tasks/gate/snapshot"}) {
    EXPECT_EQ(get(path).status, 401) << path;
    EXPECT_EQ(get(path, sender).status, 403) << path;
    EXPECT_EQ(get(path, reader).status, 200) << path;
  }
}

TEST_F(ResultStreamTest, TheNewestResultOfATask) {
  serve();
  const HttpReply unknown = get("/v1/tasks/nowhere/result");
  EXPECT_EQ(unknown.status, 404);
  EXPECT_NE(unknown.body.find("there is no task `nowhere`"), std::string::npos);
  EXPECT_EQ(get("/v1/tasks/gate/result").status, 204);
  service_.feed.publish(seen("gate", 1));
  service_.feed.publish(seen("gate", 2));
  const HttpReply newest = get("/v1/tasks/gate/result");
  EXPECT_EQ(newest.status, 200);
  EXPECT_EQ(newest.headers.at("content-type"), "application/json");
  EXPECT_EQ(newest.body, record("gate", 2) + "\n");
}

TEST_F(ResultStreamTest, ThePictureOfATask) {
  serve();
  EXPECT_EQ(get("/v1/tasks/nowhere/snapshot").status, 404);
  const HttpReply none = get("/v1/tasks/gate/snapshot");
  EXPECT_EQ(none.status, 204);
  EXPECT_EQ(none.headers.at("retry-after"), "1");
  service_.shown = {41, "2026-11-22T17:41:03.412Z",
                    [](bool boxes) { return std::string(boxes ? "marked" : "plain"); }};
  const HttpReply marked = get("/v1/tasks/gate/snapshot");
  EXPECT_EQ(marked.status, 200);
  EXPECT_EQ(marked.headers.at("content-type"), "image/jpeg");
  EXPECT_EQ(marked.headers.at("saccade-frame"), "41");
  EXPECT_EQ(marked.headers.at("saccade-captured-at"), "2026-11-22T17:41:03.412Z");
  EXPECT_EQ(marked.body, "marked");
  const HttpReply plain = get("/v1/tasks/gate/snapshot?boxes=false");
  EXPECT_EQ(plain.body, "plain");
  EXPECT_NE(plain.headers.at("etag"), marked.headers.at("etag"));
  const std::string known = "If-None-Match: " + marked.headers.at("etag") + "\r\n";
  EXPECT_EQ(get("/v1/tasks/gate/snapshot", known).status, 304);
  EXPECT_EQ(get("/v1/tasks/gate/snapshot?boxes=0", known).status, 200);
  EXPECT_EQ(get("/v1/tasks/gate/snapshot?boxes=maybe").status, 400);
  service_.shown.draw = [](bool) { return std::string(); };
  EXPECT_EQ(get("/v1/tasks/gate/snapshot").status, 500);
}

}  // namespace
}  // namespace saccade::service
