// What a detector sees, over HTTP, served as `saccade run` does: the stream has the records that a file gets,
// and the picture is that of a record. Nothing is asserted about how fast anything was.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <thread>

#include "service/live/service_run.hpp"
#include "tests/support/http_client.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::service {
namespace {

using nlohmann::json;
using test::HttpClient;
using test::HttpReply;

class ServedStreams : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string zoo = std::string(SACCADE_SOURCE_DIR) + "/profiles/zoo/";
    const auto task = [&](const char* id, const char* profiles, const char* data_set) {
      return json{{"id", id},
                  {"profiles", zoo + profiles},
                  {"fps", 10},
                  {"source", {{"type", "synthetic"}, {"data_set", data_set}}}};
    };
    const json config = {
        {"version", 1},
        {"node", "yard-box"},
        {"processors", {{{"name", "cpu"}}}},
        {"engine", {{"backend", "onnxruntime"}, {"graph_cache", "off"}}},
        {"tasks",
         {task("yard", "yard-detector.json", "yard"), task("glyphs", "mobilenet_v2-glyphs.json", "glyphs")}},
        {"results", {{{"id", "api"}, {"type", "file"}, {"path", "all.jsonl"}, {"queue", 4096}}}},
        {"api", {{"listen", "unix:api.sock"}}}};
    std::ofstream(folder_ / "config.json") << config.dump();
    auto start = start_from(folder_ / "config.json", nullptr);
    ASSERT_TRUE(start.ok()) << to_string(start.errors());
    config_ = std::make_unique<ServiceConfig>(folder_ / "config.json", std::move(start).value(), nullptr);
    auto run = ServiceRun::open(*config_, {}, {});
    ASSERT_TRUE(run.ok()) << to_string(run.errors());
    run_ = std::move(run).value();
    thread_ = std::thread([this] { static_cast<void>(run_->run(std::nullopt)); });
  }
  void TearDown() override { end(); }
  void end() {
    if (!thread_.joinable()) return;
    run_->stop();
    thread_.join();
  }
  [[nodiscard]] config::ListenAddress address() const { return {folder_ / "api.sock", "", 0}; }
  // Again until there is something.
  [[nodiscard]] HttpReply get(const std::string& target) const {
    for (;;) {
      HttpReply reply = HttpClient(address()).ask("GET", target);
      if (reply.status != 204) return reply;
      std::this_thread::yield();
    }
  }
  // The lines of the file, by task and frame.
  [[nodiscard]] std::map<std::pair<std::string, std::int64_t>, std::string> written() const {
    std::map<std::pair<std::string, std::int64_t>, std::string> all;
    std::ifstream in(folder_ / "all.jsonl");
    for (std::string line; std::getline(in, line);) {
      const json record = json::parse(line);
      all[{record.at("task"), record.at("frame")}] = line;
    }
    return all;
  }

  test::TemporaryFolder folder_;
  std::unique_ptr<ServiceConfig> config_;
  std::unique_ptr<ServiceRun> run_;
  std::thread thread_;
};

TEST_F(ServedStreams, TheStreamHasTheRecordsThatTheFileGets) {
  HttpClient all(address());
  HttpClient yard(address());
  EXPECT_EQ(all.ask("GET", "/v1/results", "", "Accept: application/x-ndjson\r\n").status, 200);
  EXPECT_EQ(yard.ask("GET", "/v1/results?task=yard").status, 200);
  std::vector<std::string> lines;
  std::map<std::string, int> tasks;
  while (tasks["yard"] < 10 || tasks["glyphs"] < 10) {
    const std::string line = all.line();
    ASSERT_TRUE(line.starts_with(R"({"format":"saccade-result/1","node":"yard-box",)")) << line;
    lines.push_back(line);
    ++tasks[json::parse(line).at("task")];
  }
  std::size_t objects = 0;
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(yard.line().starts_with("id: "));
    EXPECT_EQ(yard.line(), "event: result");
    const std::string data = yard.line();
    const json record = json::parse(data.substr(std::string("data: ").size()));
    EXPECT_EQ(record.at("task"), "yard");
    objects += record.at("objects").size();
    lines.push_back(data.substr(std::string("data: ").size()));
    EXPECT_EQ(yard.line(), "");
  }
  EXPECT_GT(objects, 0U);
  const HttpReply newest = get("/v1/tasks/glyphs/result");
  EXPECT_EQ(newest.status, 200);
  lines.push_back(newest.body.substr(0, newest.body.size() - 1));
  const json status = json::parse(get("/v1/status").body);
  ASSERT_EQ(status.at("results").size(), 1U) << "the sinks that the configuration names";
  EXPECT_EQ(status.at("results").at(0).at("type"), "file");
  const std::string metrics = get("/metrics").body;
  EXPECT_NE(metrics.find("saccade_result_streams 2"), std::string::npos);
  EXPECT_NE(metrics.find("saccade_result_stream_records_total{outcome=\"lost\"} 0"), std::string::npos);
  end();
  const auto in_file = written();
  for (const std::string& line : lines) {
    const json record = json::parse(line);
    const auto same = in_file.find({record.at("task"), record.at("frame")});
    ASSERT_NE(same, in_file.end()) << line;
    // The sink's own presence is that of its own filter: here they are the same.
    EXPECT_EQ(same->second, line);
  }
}

TEST_F(ServedStreams, ThePictureIsThatOfARecord) {
  const HttpReply marked = get("/v1/tasks/yard/snapshot");
  ASSERT_EQ(marked.status, 200) << marked.body;
  EXPECT_EQ(marked.headers.at("content-type"), "image/jpeg");
  const HttpReply plain = get("/v1/tasks/yard/snapshot?boxes=false");
  EXPECT_EQ(get("/v1/tasks/glyphs/snapshot").status, 200) << "a classifier's regions are marked, too";
  EXPECT_EQ(get("/v1/tasks/nowhere/snapshot").status, 404);
  end();
  const auto in_file = written();
  for (const HttpReply& reply : {marked, plain}) {
    const std::vector<std::uint8_t> bytes(reply.body.begin(), reply.body.end());
    const cv::Mat picture = cv::imdecode(bytes, cv::IMREAD_COLOR);
    ASSERT_FALSE(picture.empty());
    EXPECT_EQ(std::max(picture.cols, picture.rows), 640);
    const auto record = in_file.find({"yard", std::stoll(reply.headers.at("saccade-frame"))});
    ASSERT_NE(record, in_file.end()) << reply.headers.at("saccade-frame");
    const json size = json::parse(record->second).at("size");
    EXPECT_NEAR(size.at(0).get<double>() / size.at(1).get<double>(),
                static_cast<double>(picture.cols) / picture.rows, 0.01);
  }
}

}  // namespace
}  // namespace saccade::service
