// The program itself as a service: reloads by SIGHUP, kill -9 and restart at random moments, the end in
// the middle of a load. Simulated engines; every wait is for something the program says.
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "app/report/exit_codes.hpp"
#include "service/live/live_config.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/picture.hpp"
#include "tests/support/rtsp_camera.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::app {
namespace {

using nlohmann::json;

std::string document(double fps, const std::string& pictures) {
  const std::string profiles = std::string(SACCADE_SOURCE_DIR) + "/tests/support/profiles/shapes.json";
  const json task = {{"id", "gate"},
                     {"profiles", profiles},
                     {"fps", fps},
                     {"source", {{"type", "images"}, {"path", pictures}}}};
  const json whole = {{"version", 1},
                      {"processors", {{{"name", "cpu"}}}},
                      {"engine", {{"backend", "simulated"}}},
                      {"tasks", {task}}};
  return whole.dump(1);
}

std::string tag(const std::string& text) {  // as it is logged
  const std::string quoted = service::etag_of(text);
  return quoted.substr(1, quoted.size() - 2);
}

class ServiceProcess : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(folder_ / "pictures");
    test::write_picture(folder_ / "pictures/grey.bmp");
  }
  [[nodiscard]] std::string document(double fps) const {
    return app::document(fps, (folder_ / "pictures").string());
  }
  void write_file(const std::string& text) const {
    std::ofstream(folder_ / "new", std::ios::trunc) << text;
    std::filesystem::rename(folder_ / "new", file());
  }
  [[nodiscard]] std::string file() const { return (folder_ / "config.json").string(); }
  [[nodiscard]] std::vector<std::string> command() const {
    return {std::string(SACCADE_BINARY_DIR) + "/app/saccade",
            "run",
            file(),
            "--json",
            "--state-dir",
            (folder_ / "state").string()};
  }
  [[nodiscard]] std::string output() const { return (folder_ / "out").string(); }
  [[nodiscard]] json summary() const { return json::parse(std::ifstream(output())); }

  test::TemporaryFolder folder_;
};

// The camera accepts the connection and is silent for far longer than the test takes.
TEST_F(ServiceProcess, ASignalEndsTheWaitForSourcesThatAreRequired) {
  for (const int number : {SIGTERM, SIGINT}) {
    const test::BlackHole camera;
    json config = json::parse(document(10));
    config["tasks"][0]["source"] = {{"type", "stream"}, {"url", camera.url()}, {"silence_seconds", 30}};
    write_file(config.dump());
    std::vector<std::string> required = command();
    required.emplace_back("--require-sources");
    test::ChildProcess service(required, output());
    ASSERT_TRUE(camera.wait_for_client());
    service.signal(number);
    EXPECT_EQ(service.wait(), 128 + number);
  }
}

TEST_F(ServiceProcess, ReloadsTheFileOnSighupAndKeepsWhatRunsWhenItIsWrong) {
  write_file(document(10));
  test::ChildProcess service(command(), output());
  ASSERT_TRUE(service.line_with("event=transition_end")) << service.said();
  write_file(document(20));
  service.signal(SIGHUP);
  const auto reloaded = service.line_with("event=reload ");
  ASSERT_TRUE(reloaded) << service.said();
  EXPECT_NE(reloaded->find("generation 2"), std::string::npos) << *reloaded;
  EXPECT_NE(reloaded->find(tag(document(20))), std::string::npos) << *reloaded;
  write_file(document(-1));
  service.signal(SIGHUP);
  const auto refused = service.line_with("event=reload_refused");
  ASSERT_TRUE(refused) << service.said();
  EXPECT_NE(refused->find("/tasks/0/fps"), std::string::npos) << *refused;
  service.signal(SIGTERM);
  EXPECT_EQ(service.wait(), kExitOk) << service.said();
  EXPECT_EQ(summary().at("reloads"), (json{{"succeeded", 1}, {"failed", 1}}));
  EXPECT_EQ(summary().at("generations"), 2);
}

TEST_F(ServiceProcess, AReloadThatIsAskedForAtOnceWaitsUntilTheRunCanTakeIt) {
  write_file(document(10));
  test::ChildProcess service(command(), output());
  ASSERT_TRUE(service.line_with("event=start")) << service.said();
  service.signal(SIGHUP);
  ASSERT_TRUE(service.line_with("event=reload ")) << service.said();
  service.signal(SIGTERM);
  EXPECT_EQ(service.wait(), kExitOk) << service.said();
}

TEST_F(ServiceProcess, KilledAtRandomMomentsItGoesOnWithTheOldOrTheNewState) {
  std::mt19937 random(20261121);
  std::string before = document(5);
  write_file(before);
  {
    test::ChildProcess first(command(), output());
    ASSERT_TRUE(first.line_with("event=start")) << first.said();
  }
  int new_seen = 0;
  for (int round = 0; round < 12; ++round) {
    const std::string wanted = document(10 + round);
    {
      // The file as it was when the state began, so that the state wins.
      write_file(before);
      test::ChildProcess service(command(), output());
      ASSERT_TRUE(service.line_with("event=start")) << service.said();
      ASSERT_TRUE(service.line_with("event=plan")) << service.said();
      write_file(wanted);
      service.signal(SIGHUP);
      const unsigned long moment = random() % 4;
      const char* const last_words[] = {"", "event=reload ", "event=saved ", ""};
      ASSERT_TRUE(service.line_with(last_words[moment])) << service.said();
      for (volatile unsigned long spin = random() % 3'000'000; moment == 3 && spin > 0;) spin = spin - 1;
      service.signal(SIGKILL);
      EXPECT_EQ(service.wait(), 128 + SIGKILL);
    }
    write_file("{");  // only the state can tell now
    test::ChildProcess after(command(), output());
    const auto start = after.line_with("event=start");
    ASSERT_TRUE(start) << after.said();
    EXPECT_NE(start->find("last good state"), std::string::npos) << *start;
    const bool old = start->find(tag(before)) != std::string::npos;
    EXPECT_TRUE(old || start->find(tag(wanted)) != std::string::npos) << *start;
    if (!old) {
      before = wanted;
      ++new_seen;
    }
  }
  EXPECT_GT(new_seen, 0);
}

TEST_F(ServiceProcess, EndsInGoodOrderInTheMiddleOfALoad) {
  write_file(document(10));
  for (int round = 0; round < 3; ++round) {
    test::ChildProcess service(command(), output());
    ASSERT_TRUE(service.line_with("event=load")) << service.said();
    service.signal(SIGTERM);
    EXPECT_EQ(service.wait(), kExitOk) << service.said();
    EXPECT_EQ(summary().at("tasks").at(0).at("in_flight"), 0);
  }
}

TEST_F(ServiceProcess, ASecondOneOnTheSameStateIsTurnedAway) {
  write_file(document(10));
  test::ChildProcess first(command(), output());
  ASSERT_TRUE(first.line_with("event=start")) << first.said();
  test::ChildProcess second(command(), (folder_ / "second").string());
  EXPECT_EQ(second.wait(), kExitUnavailable);
  EXPECT_NE(second.said().find("another process keeps its state"), std::string::npos) << second.said();
}

TEST_F(ServiceProcess, WithoutAFileOrAStateItSaysBadConfiguration) {
  write_file("{");
  test::ChildProcess service(command(), output());
  EXPECT_EQ(service.wait(), kExitConfig);
}

}  // namespace
}  // namespace saccade::app
