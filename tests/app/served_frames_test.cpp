// The program serves a network of the zoo to clients that send it frames: over loopback, with the engine
// that this machine has. What they get is what the network knows of images that it never saw.
#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "app/report/exit_codes.hpp"
#include "profiles/profile_io.hpp"
#include "runtime/engines/engine.hpp"
#include "runtime/pictures/preparer.hpp"
#include "runtime/sources/held_out_images.hpp"
#include "runtime/sources/thumbnail.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/http_client.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::app {
namespace {

using nlohmann::json;

constexpr std::size_t kImages = 20;
const char* const kInfer = "/v2/models/glyphs/infer";

struct Image {
  std::vector<float> planes;
  std::string jpeg;
  std::string label;
};

class ServedFrames : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto backend = runtime::make_backend("auto");
    if (backend.value()->name() == "simulated") GTEST_SKIP() << "no engine that knows the zoo's networks";
    const std::string profiles = std::string(SACCADE_SOURCE_DIR) + "/profiles/zoo/mobilenet_v2-glyphs.json";
    const json config = {
        {"version", 1},
        {"processors", {{{"name", "cpu"}}}},
        {"tasks", {{{"id", "glyphs"}, {"profiles", profiles}, {"fps", 200}, {"source", {{"type", "push"}}}}}},
        {"api", {{"listen", "unix:api.sock"}}}};
    std::ofstream(folder_ / "config.json") << config.dump();
    draw(profiles);
    service_.emplace(std::vector<std::string>{std::string(SACCADE_BINARY_DIR) + "/app/saccade", "run",
                                              (folder_ / "config.json").string(), "--json"},
                     (folder_ / "out").string());
    ASSERT_TRUE(service_->line_with("event=serving")) << service_->said();
    ASSERT_TRUE(service_->line_with("event=transition_end")) << service_->said();
  }
  void TearDown() override {
    if (!service_) return;
    service_->signal(SIGTERM);
    EXPECT_EQ(service_->wait(), kExitOk) << service_->said();
  }
  void draw(const std::string& file) {
    // OpenCV may start threads, which stay: no signal is for them.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const auto read = profiles::read_profile_set(file);
    ASSERT_TRUE(read.ok()) << to_string(read.errors());
    set_ = read.value();
    const auto held_out = runtime::held_out_images(set_, kImages);
    ASSERT_TRUE(held_out.ok());
    runtime::Preparer preparer(profiles::input_of(set_, set_.variants.front()));
    for (std::size_t i = 0; i < kImages; ++i) {
      Image image{std::vector<float>(set_.input.size()), "", ""};
      runtime::Picture picture;
      image.label = set_.labels.at(static_cast<std::size_t>(held_out.value().show(i, picture).value().label));
      preparer.write(picture, picture.whole(), std::as_writable_bytes(std::span(image.planes)));
      image.jpeg = runtime::thumbnail(image.planes, set_.input, runtime::WholeFrame{});
      images_.push_back(std::move(image));
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  [[nodiscard]] config::ListenAddress address() const { return {folder_ / "api.sock", "", 0}; }
  // As a client does that may come again when it was too fast.
  test::HttpReply infer(test::HttpClient& client, const std::string& type, const std::string& body) {
    for (;;) {
      client.send(std::string("POST ") + kInfer + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: " + type +
                  "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
      test::HttpReply reply = client.reply();
      // Too fast, or the run has not begun.
      if (!reply.headers.contains("retry-after")) return reply;
    }
  }
  [[nodiscard]] std::string tensor(const Image& image) const {
    const json input = {{"name", "input"},
                        {"datatype", "FP32"},
                        {"shape", {1, set_.input.channels, set_.input.height, set_.input.width}},
                        {"data", image.planes}};
    return json{{"inputs", {input}}}.dump();
  }
  static std::string label_in(const test::HttpReply& reply) {
    EXPECT_EQ(reply.status, 200) << reply.body;
    return reply.status == 200 ? json::parse(reply.body).at("outputs").at(0).at("data").at(0) : json();
  }
  json books() {
    return json::parse(test::HttpClient(address()).ask("GET", "/v1/tasks/glyphs").body).at("frames");
  }

  test::TemporaryFolder folder_;
  profiles::ProfileSet set_;
  std::vector<Image> images_;
  std::optional<test::ChildProcess> service_;
};

TEST_F(ServedFrames, HeldOutImagesGetTheirLabels) {
  test::HttpClient client(address());
  std::size_t right = 0;
  std::size_t right_jpeg = 0;
  for (const Image& image : images_) {
    if (label_in(infer(client, "application/json", tensor(image))) == image.label) ++right;
    if (label_in(infer(client, "image/jpeg", image.jpeg)) == image.label) ++right_jpeg;
  }
  EXPECT_GE(right, kImages * 3 / 4);
  EXPECT_GE(right_jpeg, kImages * 3 / 4);
  EXPECT_EQ(books().at("processed"), 2 * kImages);
}

TEST_F(ServedFrames, TheirRecordsSayThatAClientSentThem) {
  test::HttpClient client(address());
  (void)label_in(infer(client, "image/jpeg", images_[0].jpeg));
  test::HttpReply newest = client.ask("GET", "/v1/tasks/glyphs/result");
  while (newest.status == 204) newest = client.ask("GET", "/v1/tasks/glyphs/result");
  ASSERT_EQ(newest.status, 200) << newest.body;
  const json record = json::parse(newest.body);
  EXPECT_EQ(record.at("captured_by"), "client");
  EXPECT_GE(record.at("age_seconds"), record.at("latency_seconds"));
  const json task = json::parse(client.ask("GET", "/v1/tasks/glyphs").body);
  EXPECT_GT(task.at("age_seconds").at("p50"), 0.0);
}

TEST_F(ServedFrames, TheAnswerIsWhatTheMetadataPromises) {
  test::HttpClient client(address());
  const json facts = json::parse(client.ask("GET", "/v2/models/glyphs").body);
  const json answer = json::parse(infer(client, "application/json", tensor(images_[0])).body);
  json outputs = answer.at("outputs");
  for (json& output : outputs) output.erase("data");
  EXPECT_EQ(outputs, facts.at("outputs"));
  EXPECT_EQ(facts.at("inputs").at(0).at("shape"), (json{1, 3, 64, 64}));
  const json& versions = facts.at("versions");
  EXPECT_NE(std::find(versions.begin(), versions.end(), answer.at("model_version")), versions.end());
  EXPECT_EQ(answer.at("parameters").at("variant"), answer.at("model_version"));
  EXPECT_EQ(answer.at("parameters").at("processor"), "cpu");
  const std::string scrape = client.ask("GET", "/metrics").body;
  EXPECT_NE(scrape.find("saccade_inference_seconds_count{task=\"glyphs\"} 1"), std::string::npos);
  EXPECT_NE(scrape.find("saccade_source_connected{task=\"glyphs\"} 1"), std::string::npos);
}

TEST_F(ServedFrames, ATaskThatNobodyDemandsDropsWhatIsSent) {
  test::HttpClient client(address());
  ASSERT_EQ(client.ask("PATCH", "/v1/tasks/glyphs", R"({"fps": 0})").status, 202);
  test::HttpReply reply;
  do {
    reply = infer(client, "image/jpeg", images_[0].jpeg);
  } while (reply.status == 200);
  EXPECT_EQ(reply.status, 503);
  EXPECT_EQ(json::parse(reply.body).at("reason"), "inactive");
}

TEST_F(ServedFrames, ClientsAtOnceGetTheirOwnAnswers) {
  struct Answer {
    std::string variant;
    std::string label;
  };
  std::vector<std::thread> clients;
  std::vector<std::vector<Answer>> answers(4);
  for (auto& mine : answers) {
    clients.emplace_back([&] {
      test::HttpClient client(address());
      for (const Image& image : images_) {
        const test::HttpReply reply = infer(client, "application/json", tensor(image));
        const std::string label = label_in(reply);
        mine.push_back({json::parse(reply.body).at("model_version"), label});
      }
    });
  }
  for (std::thread& client : clients) client.join();
  // A machine that is slower than profiled gets another variant meanwhile, which may see something else.
  std::map<std::pair<std::string, std::size_t>, std::string> seen;  // by variant and image
  for (const auto& mine : answers) {
    ASSERT_EQ(mine.size(), kImages);
    for (std::size_t i = 0; i < mine.size(); ++i) {
      const auto first = seen.emplace(std::pair(mine[i].variant, i), mine[i].label).first;
      EXPECT_EQ(mine[i].label, first->second) << "the same variant and image " << i;
    }
  }
  const json frames = books();
  std::int64_t dropped = 0;
  for (const auto& [reason, count] : frames.at("dropped").items()) dropped += count.get<std::int64_t>();
  EXPECT_EQ(frames.at("received"), frames.at("processed").get<std::int64_t>() + dropped);
  EXPECT_EQ(frames.at("processed"), 4 * kImages);
}

}  // namespace
}  // namespace saccade::app
