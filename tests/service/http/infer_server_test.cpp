// Frames that clients send over real sockets: the server waits with them and answers when the frame has
// ended, and meanwhile everybody else. The service has nothing behind it; the test ends the frames.
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "service/http/body_budget.hpp"
#include "service/http/http_server.hpp"
#include "tests/support/fake_service.hpp"
#include "tests/support/http_client.hpp"

namespace saccade::service {
namespace {

using nlohmann::json;
using test::HttpClient;

class InferServerTest : public testing::Test {
 protected:
  InferServerTest() {
    auto server = HttpServer::open({{"", "127.0.0.1", 0}}, service_, feed_, limits_);
    EXPECT_TRUE(server.ok()) << to_string(server.errors());
    server_ = std::move(server).value();
  }
  std::unique_ptr<HttpClient> client() { return std::make_unique<HttpClient>(server_->address()); }
  static void send_frame(HttpClient& client, const std::string& id = "1") {
    const json input = {{"name", "input"},
                        {"shape", {2, 3, 4, 4}},
                        {"datatype", "FP32"},
                        {"data", std::vector<int>(2UL * 3 * 4 * 4, 1)}};
    const std::string body = json{{"id", id}, {"inputs", {input}}}.dump();
    client.send(
        "POST /v2/models/gate/infer HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Content-Length: " +
        std::to_string(body.size()) + "\r\n\r\n" + body);
  }
  void end_frame(std::size_t which, runtime::FrameAnswer answer = {.logits = {1.0F, 2.0F, 3.0F, 2.5F}}) {
    runtime::AnswerFrame done;
    {
      const std::lock_guard lock(service_.mutex);
      done = service_.waiting.at(which).answer;
    }
    done(std::move(answer));
  }

  test::FakeService service_;
  EventFeed feed_{4};
  ServerLimits limits_;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(InferServerTest, BodiesOfFramesTogetherHaveALimit) {
  limits_.frame_bytes = 1000;
  auto server = HttpServer::open({{"", "127.0.0.1", 0}}, service_, feed_, limits_);
  ASSERT_TRUE(server.ok());
  const std::string head =
      "POST /v2/models/gate/infer HTTP/1.1\r\nHost: localhost\r\n"
      "Content-Type: image/jpeg\r\nContent-Length: ";
  HttpClient first(server.value()->address());
  first.send(head + "600\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(first.line(), "HTTP/1.1 100 Continue");
  EXPECT_EQ(first.line(), "");
  HttpClient second(server.value()->address());
  second.send(head + "500\r\n\r\n");
  const test::HttpReply refused = second.reply();
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.headers.at("retry-after"), "1");
  HttpClient unknown(server.value()->address());  // may be as long as is allowed
  unknown.send(
      "POST /v2/models/gate/infer HTTP/1.1\r\nHost: localhost\r\nContent-Type: image/jpeg\r\n"
      "Transfer-Encoding: chunked\r\n\r\n");
  EXPECT_EQ(unknown.reply().status, 503);
  HttpClient other(server.value()->address());
  EXPECT_EQ(other.ask("PATCH", "/v1/limits", "{}").status, 202) << "no frame";
  first.send(std::string(600, 'x'));
  EXPECT_EQ(first.reply().status, 422) << "it is no picture";
  HttpClient third(server.value()->address());
  third.send(head + "400\r\n\r\n" + std::string(400, 'x'));
  EXPECT_EQ(third.reply().status, 422) << "there is room beside the first in any case";
}

TEST(BodyBudget, AShareReturnsWithItsHolder) {
  BodyBudget budget(10);
  BodyBudget::Share six = budget.take(6);
  ASSERT_TRUE(six);
  EXPECT_FALSE(budget.take(5));
  const BodyBudget::Share four = budget.take(4);
  EXPECT_TRUE(four);
  six.reset();
  EXPECT_TRUE(budget.take(6));
  EXPECT_TRUE(budget.take(0));
}

TEST_F(InferServerTest, AFrameThatWaitsHoldsUpNobodyElse) {
  const auto first = client();
  const auto second = client();
  send_frame(*first, "first");
  send_frame(*second, "second");
  service_.wait_for_frames(2);
  EXPECT_EQ(client()->ask("GET", "/livez").status, 200);
  end_frame(1);
  end_frame(0);
  const json told = json::parse(first->reply().body);
  EXPECT_EQ(told.at("id"), "first");
  EXPECT_EQ(json::parse(second->reply().body).at("id"), "second");
  EXPECT_EQ(first->ask("GET", "/livez").status, 200) << "the connection goes on";
}

TEST_F(InferServerTest, WhoSendsTheNextRequestBeforeTheAnswerGetsBothInOrder) {
  const auto one = client();
  send_frame(*one);
  one->send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n");
  service_.wait_for_frames(1);
  end_frame(0);
  EXPECT_EQ(json::parse(one->reply().body).at("model_name"), "gate");
  EXPECT_EQ(one->reply().body, "ok\n");
}

TEST_F(InferServerTest, AClientThatLeavesLeavesNothingBehind) {
  for (std::size_t i = 0; i < 40; ++i) {  // more than there are connections
    auto gone = client();
    send_frame(*gone);
    service_.wait_for_frames(i + 1);
    gone.reset();
    end_frame(i);
  }
  const auto next = client();
  send_frame(*next);
  service_.wait_for_frames(41);
  end_frame(40);
  EXPECT_EQ(next->reply().status, 200);
}

TEST_F(InferServerTest, AFrameThatIsDroppedAnswersWithItsReason) {
  const auto one = client();
  send_frame(*one);
  service_.wait_for_frames(1);
  end_frame(0, {.dropped = runtime::DropReason::inactive});
  const test::HttpReply reply = one->reply();
  EXPECT_EQ(reply.status, 503);
  EXPECT_EQ(reply.headers.at("content-type"), "application/problem+json");
  EXPECT_EQ(json::parse(reply.body).at("reason"), "inactive");
}

TEST_F(InferServerTest, AFullGateSaysWhenToComeAgain) {
  service_.verdict = runtime::PushVerdict::full;
  const auto one = client();
  send_frame(*one);
  const test::HttpReply reply = one->reply();
  EXPECT_EQ(reply.status, 429);
  EXPECT_EQ(reply.headers.at("retry-after"), "1");
}

TEST_F(InferServerTest, TheEndAnswersWhoeverWaits) {
  const auto one = client();
  const auto two = client();
  send_frame(*one);
  send_frame(*two);
  service_.wait_for_frames(2);
  server_.reset();
  for (HttpClient* each : {one.get(), two.get()}) {
    const test::HttpReply reply = each->reply();
    EXPECT_EQ(reply.status, 503);
    EXPECT_EQ(json::parse(reply.body).at("reason"), "shutdown");
    EXPECT_TRUE(each->closed());
  }
  end_frame(0);  // too late: nobody is there
}

TEST_F(InferServerTest, AFrameMayHaveSixteenMebibytes) {
  const auto one = client();
  const std::string head =
      "POST /v2/models/gate/infer HTTP/1.1\r\nHost: localhost\r\nContent-Type: image/png\r\n";
  const std::string most(16UL * 1024 * 1024, 'x');
  one->send(head + "Content-Length: " + std::to_string(most.size()) + "\r\n\r\n" + most);
  EXPECT_EQ(one->reply().status, 422) << "it is read, and is no picture";
  one->send(head + "Content-Length: " + std::to_string(most.size() + 1) + "\r\n\r\n");
  EXPECT_EQ(one->reply().status, 413);
}

}  // namespace
}  // namespace saccade::service
