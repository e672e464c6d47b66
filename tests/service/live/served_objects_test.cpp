// A detector behind the whole service: real engines, a real shell, sockets. What clients of KServe v2 and
// readers of /v1 get is compared with what is known to be in the scenes.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <thread>

#include "ilp/core_solver.hpp"
#include "runtime/real/real_shell.hpp"
#include "service/http/http_server.hpp"
#include "service/live/live_service.hpp"
#include "tests/support/http_client.hpp"
#include "tests/support/run_fixture.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/yard_detector.hpp"
#include "vision/accuracy/recent_precision.hpp"

namespace saccade::service {
namespace {

using nlohmann::json;
using test::HttpReply;

// "yard": frames are pushed. "raw": the same network, its outputs handed on. "live": scenes that are drawn.
class ServedObjects : public ::testing::Test {
 protected:
  void SetUp() override {
    auto backend = runtime::make_backend("onnxruntime");
    if (!backend) GTEST_SKIP() << to_string(backend.errors());
    auto shell = runtime::RealShell::open(run_config(), std::move(backend).value(), plans_, {},
                                          runtime::open_source, nullptr);
    ASSERT_TRUE(shell.ok()) << to_string(shell.errors());
    shell_ = std::move(shell).value();
    open_service();
    run_ = std::thread([this] { (void)shell_->run(std::nullopt); });
    while (!shell_->status().settled || shell_->elapsed() == Duration(0)) std::this_thread::yield();
  }
  void TearDown() override {
    server_.reset();
    if (shell_) shell_->stop();
    if (run_.joinable()) run_.join();
  }

  [[nodiscard]] static runtime::RunConfig run_config() {
    const auto detector = std::make_shared<const profiles::ProfileSet>(
        test::yard_detector({{"w0.50-fp32", 96}, {"w1.00-fp32", 224}}));
    profiles::ProfileSet raw = test::yard_detector({{"w0.50-fp32", 96}});
    raw.interface.task = profiles::NetworkTask::tensor;
    raw.interface.decoder = profiles::TensorDecoder{};
    raw.variants.front().interface.reset();  // the set's
    raw.labels.clear();
    runtime::TimelineState state = test::state_at(0.0, 3, 5.0, 100e6, detector);
    state.snapshot.tasks[1].profiles = std::make_shared<const profiles::ProfileSet>(std::move(raw));
    const char* const names[] = {"yard", "raw", "live"};
    for (std::size_t i = 0; i < 3; ++i) state.snapshot.tasks[i].id = TaskId(names[i]);
    // The plan stays, however long frames take on a busy machine or under sanitizers.
    state.snapshot.processors.front().capacity = 1000.0;
    runtime::RunConfig config = test::run_config({state});
    config.tasks[0].source = config.tasks[1].source = runtime::PushSource{};
    config.tasks[2].source = runtime::SyntheticSource{"yard", 1};
    return config;
  }
  // The configuration behind it is another one: nothing here asks for it.
  void open_service() {
    const std::string profiles = std::string(SACCADE_SOURCE_DIR) + "/tests/support/profiles/shapes.json";
    std::ofstream(folder_ / "config.json")
        << json{{"version", 1},
                {"processors", {{{"name", "cpu"}}}},
                {"engine", {{"backend", "simulated"}}},
                {"tasks",
                 {{{"id", "yard"}, {"profiles", profiles}, {"fps", 5}, {"source", {{"type", "push"}}}}}}}
               .dump();
    auto start = start_from(folder_ / "config.json", nullptr);
    ASSERT_TRUE(start.ok()) << to_string(start.errors());
    config_ = std::make_unique<ServiceConfig>(folder_ / "config.json", std::move(start).value(), nullptr);
    service_ = std::make_unique<LiveService>(*config_, plans_, scheduler::PolicyKind::transprecision);
    runtime::RealShell& run = *shell_;
    service_->attach(
        [&run] { return run.status(); },
        [&run](const std::optional<TaskId>& only) { return run.outline(only); },
        [&run](runtime::TaskIndex task) { return run.latest_frame(task); },
        [&run](runtime::TaskIndex task) { return run.latest_answer(task); },
        [&run](runtime::TaskIndex task, runtime::PushedFrame frame, runtime::AnswerFrame answer) {
          return run.push(task, std::move(frame), std::move(answer));
        });
    auto server = HttpServer::open({{"", "127.0.0.1", 0}}, *service_, service_->events());
    ASSERT_TRUE(server.ok()) << to_string(server.errors());
    server_ = std::move(server).value();
  }

  [[nodiscard]] HttpReply get(const std::string& target) const {
    return test::HttpClient(server_->address()).ask("GET", target);
  }
  [[nodiscard]] json json_of(const std::string& target) const {
    const HttpReply reply = get(target);
    EXPECT_EQ(reply.status, 200) << target << reply.body;
    return reply.status == 200 ? json::parse(reply.body) : json();
  }
  // As a client does that comes again when it was too fast.
  [[nodiscard]] HttpReply infer(const std::string& model, const std::string& type, const std::string& body,
                                const std::string& headers = {}) const {
    for (;;) {
      test::HttpClient client(server_->address());
      client.send("POST /v2/models/" + model + "/infer HTTP/1.1\r\nHost: localhost\r\nContent-Type: " + type +
                  "\r\n" + headers + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
      HttpReply reply = client.reply();
      if (!reply.headers.contains("retry-after")) return reply;
    }
  }
  [[nodiscard]] static std::string png_of(const images::LabelledScene& scene) {
    std::vector<std::uint8_t> png;
    EXPECT_TRUE(cv::imencode(".png", scene.bgr, png));
    return {png.begin(), png.end()};
  }
  [[nodiscard]] static json output(const json& answer, const std::string& name) {
    for (const json& each : answer.at("outputs"))
      if (each.at("name") == name) return each;
    ADD_FAILURE() << "no output " << name;
    return {};
  }
  [[nodiscard]] static vision::Objects objects_in(const json& answer) {
    vision::Objects objects;
    const std::vector<float> boxes = output(answer, "boxes").at("data");
    const std::vector<float> scores = output(answer, "scores").at("data");
    const std::vector<int> classes = output(answer, "class").at("data");
    EXPECT_EQ(boxes.size(), 4 * scores.size());
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const float* const box = boxes.data() + 4 * i;
      objects.push_back({{box[0], box[1], box[2] - box[0], box[3] - box[1]}, classes[i], scores[i], 0});
    }
    return objects;
  }

  test::TemporaryFolder folder_;
  const ilp::CoreSolver solver_{};
  const std::unique_ptr<scheduler::Policy> policy_ =
      scheduler::make_policy(scheduler::PolicyKind::transprecision, solver_);
  PlanBook plans_{*policy_};
  std::unique_ptr<ServiceConfig> config_;
  std::unique_ptr<runtime::RealShell> shell_;
  std::unique_ptr<LiveService> service_;
  std::unique_ptr<HttpServer> server_;
  std::thread run_;
};

TEST_F(ServedObjects, BoxesOfAPictureAreWhereTheObjectsAre) {
  vision::RecentPrecision found;
  for (std::uint64_t i = 0; i < 12; ++i) {
    const images::LabelledScene scene = test::yard_scene(i, {448, 336});
    const HttpReply reply = infer("yard", "image/png", png_of(scene));
    ASSERT_EQ(reply.status, 200) << reply.body;
    const json answer = json::parse(reply.body);
    EXPECT_EQ(answer.at("model_version"), "w1.00-fp32-224");
    const vision::Objects objects = objects_in(answer);
    found.add(test::truths_of(scene), objects);
    const auto count = static_cast<std::int64_t>(objects.size());
    EXPECT_EQ(output(answer, "boxes").at("shape"), json({count, 4}));
    EXPECT_EQ(output(answer, "label").at("datatype"), "BYTES");
    EXPECT_EQ(output(answer, "region").at("datatype"), "INT32");
    const auto& labels = images::SceneGenerator::find("yard")->labels();
    for (std::size_t k = 0; k < objects.size(); ++k) {
      EXPECT_EQ(output(answer, "label").at("data").at(k),
                labels.at(static_cast<std::size_t>(objects[k].label)));
      EXPECT_EQ(output(answer, "region").at("data").at(k), 0);
    }
    if (i > 0) continue;
    const json shown = json_of("/v1/tasks/yard").at("answer");
    EXPECT_EQ(shown.at("variant"), "w1.00-fp32-224");
    ASSERT_EQ(shown.at("objects").size(), objects.size());
    for (std::size_t k = 0; k < objects.size(); ++k) {
      const json& object = shown.at("objects").at(k);
      EXPECT_EQ(object.at("class"), objects[k].label);
      EXPECT_EQ(object.at("score"), objects[k].score);
      EXPECT_NEAR(object.at("box").at(2).get<double>(), objects[k].box.width, 1e-3);
    }
    const std::string header = get("/v1/tasks/yard/thumbnail").headers["saccade-labels"];
    EXPECT_EQ(json::parse(header).size(), objects.size());
  }
  EXPECT_GT(found.value().value_or(vision::MeanPrecision{}).map50, 0.5);
}

TEST_F(ServedObjects, ATensorAndBinaryAnswersSayTheSame) {
  const images::LabelledScene scene = test::yard_scene(3, {96, 96});
  std::vector<int> numbers;
  for (int channel = 2; channel >= 0; --channel) {
    for (int y = 0; y < 96; ++y)
      for (int x = 0; x < 96; ++x) numbers.push_back(scene.bgr.at<cv::Vec3b>(y, x)[channel]);
  }
  const json input = {
      {"name", "images"}, {"datatype", "UINT8"}, {"shape", {1, 3, 96, 96}}, {"data", numbers}};
  const HttpReply of_tensor = infer("yard", "application/json", json{{"inputs", {input}}}.dump());
  ASSERT_EQ(of_tensor.status, 200) << of_tensor.body;
  const HttpReply of_picture = infer("yard", "image/png", png_of(scene));
  const vision::Objects objects = objects_in(json::parse(of_picture.body));
  EXPECT_EQ(objects_in(json::parse(of_tensor.body)), objects);

  json wanted = {{"inputs", {input}},
                 {"outputs", {{{"name", "scores"}, {"parameters", {{"binary_data", true}}}}}}};
  const HttpReply binary = infer("yard", "application/json", wanted.dump());
  ASSERT_EQ(binary.status, 200) << binary.body;
  const auto length = std::stoul(binary.headers.at("inference-header-content-length"));
  const json head = json::parse(binary.body.substr(0, length));
  EXPECT_EQ(head.at("outputs").at(0).at("parameters").at("binary_data_size"), 4 * objects.size());
  ASSERT_EQ(binary.body.size(), length + 4 * objects.size());
  for (std::size_t i = 0; i < objects.size(); ++i) {
    float score = 0.0F;
    std::memcpy(&score, binary.body.data() + length + 4 * i, sizeof score);
    EXPECT_EQ(score, objects[i].score);
  }
  wanted["outputs"] = {{{"name", "logits"}}};
  const HttpReply unknown = infer("yard", "application/json", wanted.dump());
  EXPECT_EQ(unknown.status, 422);
  EXPECT_NE(unknown.body.find("boxes, scores, class, label, region"), std::string::npos) << unknown.body;
}

TEST_F(ServedObjects, MetadataIsThatOfTheInterface) {
  // What a graph gives is known once an engine serves.
  for (const char* task : {"yard", "raw"})
    ASSERT_EQ(infer(task, "image/png", png_of(test::yard_scene(0))).status, 200);
  const json yard = json_of("/v2/models/yard");
  EXPECT_EQ(yard.at("versions"), json({"w0.50-fp32-96", "w1.00-fp32-224"}));
  EXPECT_EQ(yard.at("inputs"), json::parse(R"([{"name":"images","datatype":"FP32","shape":[1,3,96,96]}])"));
  EXPECT_EQ(yard.at("outputs").at(0), json::parse(R"({"name":"boxes","datatype":"FP32","shape":[-1,4]})"));
  EXPECT_EQ(yard.at("outputs").size(), 5U);
  EXPECT_EQ(json_of("/v2/models/yard/versions/w0.50-fp32-96"), yard);
  EXPECT_EQ(json_of("/v2/models/raw").at("outputs"),
            json::parse(R"([{"name":"output0","datatype":"FP32","shape":[-1,10,-1]}])"));
  EXPECT_EQ(json_of("/v2").at("name"), "saccade");
  EXPECT_EQ(json_of("/v2/health/live"), json({{"live", true}}));
  EXPECT_EQ(json_of("/v2/health/ready"), json({{"ready", true}}));
}

TEST_F(ServedObjects, AVersionThatDoesNotServeIsNotPretended) {
  EXPECT_EQ(json_of("/v2/models/yard/versions/w1.00-fp32-224/ready"),
            json({{"name", "yard"}, {"ready", true}}));
  EXPECT_EQ(get("/v2/models/yard/versions/w0.50-fp32-96/ready").status, 503);
  const std::string png = png_of(test::yard_scene(0));
  EXPECT_EQ(infer("yard/versions/w1.00-fp32-224", "image/png", png).status, 200);
  EXPECT_EQ(infer("yard/versions/w9", "image/png", png).status, 404);
  const HttpReply other = infer("yard/versions/w0.50-fp32-96", "image/png", png);
  EXPECT_EQ(other.status, 409);
  EXPECT_NE(other.body.find("`w1.00-fp32-224` does"), std::string::npos) << other.body;
}

TEST_F(ServedObjects, OutputsThatAreHandedOnKeepTheirNames) {
  const HttpReply reply = infer("raw", "image/png", png_of(test::yard_scene(0)));
  ASSERT_EQ(reply.status, 200) << reply.body;
  const json answer = json::parse(reply.body);
  ASSERT_EQ(answer.at("outputs").size(), 1U);
  const json& output0 = answer.at("outputs").at(0);
  EXPECT_EQ(output0.at("name"), "output0");
  EXPECT_EQ(output0.at("datatype"), "FP32");
  EXPECT_EQ(output0.at("shape"), json({1, 10, 189}));
  EXPECT_EQ(output0.at("data").size(), 1890U);
}

TEST_F(ServedObjects, WhereTheTruthIsKnownTheLivePrecisionIsToo) {
  while (json_of("/v1/tasks/live").at("frames").at("processed") < 15) {
  }
  const json live = json_of("/v1/tasks/live");
  EXPECT_EQ(live.at("metric"), "map") << "of the profile's accuracy";
  EXPECT_GT(live.at("live_map50").get<double>(), 0.4);
  EXPECT_GT(live.at("live_map").get<double>(), 0.1);
  EXPECT_LE(live.at("live_map"), live.at("live_map50"));
  EXPECT_FALSE(live.at("answer").at("objects").is_null());
  EXPECT_TRUE(json_of("/v1/tasks/yard").at("live_map50").is_null()) << "of a client's frame nothing is known";
}

}  // namespace
}  // namespace saccade::service
