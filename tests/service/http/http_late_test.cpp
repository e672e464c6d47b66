// Long work of the server: documents and pictures, made on threads of their own.
#include "service/http/http_late.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "runtime/machine/thread_settings.hpp"
#include "service/http/http_server.hpp"
#include "tests/support/fake_service.hpp"
#include "tests/support/http_client.hpp"

namespace saccade::service {
namespace {

using test::HttpClient;

// Of the thread of this process that has this name.
std::optional<int> nice_of(const std::string& name) {
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(thread.path() / "comm");
    std::string found;
    if (!std::getline(file, found) || found != name) continue;
    return getpriority(PRIO_PROCESS, static_cast<id_t>(std::stoi(thread.path().filename())));
  }
  return std::nullopt;
}

class LateAnswersTest : public testing::Test {
 protected:
  LateAnswersTest() { access_.address = {"", "127.0.0.1", 0}; }

  const config::ListenAddress& serve() {
    auto server = HttpServer::open(access_, service_, feed_, limits_);
    EXPECT_TRUE(server.ok()) << to_string(server.errors());
    server_ = std::move(server).value();
    return server_->address();
  }

  test::FakeService service_;
  EventFeed feed_{4};
  Access access_;
  ServerLimits limits_;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(LateAnswersTest, ALongDocumentDelaysOnlyWhoAskedForIt) {
  HttpClient reader(serve());
  service_.hold(true);
  reader.send("GET /v1/status HTTP/1.1\r\nHost: localhost\r\n\r\n");
  service_.wait_for_texts(1);
  HttpClient other(server_->address());
  EXPECT_EQ(other.ask("GET", "/v2/models/gate/ready").status, 200);
  EXPECT_EQ(other.ask("GET", "/v1/plan").status, 200);
  other.send(
      "POST /v2/models/gate/infer HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Content-Length: 2\r\n\r\n{}");
  EXPECT_EQ(other.reply().status, 422) << "frames are read on another thread";
  service_.hold(false);
  const test::HttpReply status = reader.reply();
  EXPECT_EQ(status.status, 200);
  EXPECT_EQ(status.body, service_.document(Document::status));
  EXPECT_EQ(status.headers.at("content-type"), "application/json");
  const test::HttpReply head = reader.ask("HEAD", "/v1/tasks");
  EXPECT_EQ(head.headers.at("content-length"), std::to_string(service_.document(Document::tasks).size()));
}

// Also one whose text is being made.
TEST_F(LateAnswersTest, ALongDocumentDoesNotOutliveTheServer) {
  HttpClient reader(serve());
  service_.hold(true);
  reader.send("GET /v1/status HTTP/1.1\r\nHost: localhost\r\n\r\n");
  service_.wait_for_texts(1);
  std::thread release([&] { service_.hold(false); });  // the server waits for what is in progress
  server_.reset();
  release.join();
  EXPECT_EQ(reader.reply().status, 200);
}

TEST_F(LateAnswersTest, LongWorkIsNicerThanShortAnswers) {
  HttpClient client(serve());
  EXPECT_EQ(client.ask("GET", "/v1/status").status, 200);
  EXPECT_EQ(client.ask("POST", "/v2/models/gate/infer", "{}").status, 422);
  EXPECT_EQ(nice_of("saccade-api"), runtime::niceness());
  constexpr int kMost = 19;
  EXPECT_EQ(nice_of("saccade-texts"), std::min(runtime::niceness() + 1, kMost));
  EXPECT_EQ(nice_of("saccade-frames"), std::min(runtime::niceness() + 3, kMost));
}

}  // namespace
}  // namespace saccade::service
