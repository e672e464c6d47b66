// `saccade run` from its command line to its summary, with the simulated engines and pictures of a
// folder. Nothing is asserted about how fast anything was.
#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/report/exit_codes.hpp"
#include "app/report/run_report.hpp"
#include "app/verbs/verbs.hpp"
#include "tests/support/picture.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::app {
namespace {

using nlohmann::json;

class RunVerb : public ::testing::Test {
 protected:
  void SetUp() override {
    test::write_picture(folder_ / "a.bmp");
    const std::string profiles = std::string(SACCADE_SOURCE_DIR) + "/tests/support/profiles/shapes.json";
    config_ = {{"version", 1},
               {"processors", {{{"name", "cpu"}}}},
               {"engine", {{"backend", "simulated"}}},
               {"tasks",
                {{{"id", "gate"},
                  {"profiles", profiles},
                  {"fps", 50},
                  {"regions", {{"grid", {2, 1}}}},
                  {"source", {{"type", "images"}, {"path", folder_.path().string()}}}}}}};
  }

  int run(VerbArguments args) {
    std::ofstream(folder_ / "config.json") << config_;
    args.insert(args.begin(), (folder_ / "config.json").string());
    out_.str("");
    err_.str("");
    return verb_run(args, out_, err_);
  }

  test::TemporaryFolder folder_;
  json config_;
  std::ostringstream out_;
  std::ostringstream err_;
};

TEST(RunReport, WhatWasNotWatchedIsNotZero) {
  runtime::RunSummary summary;
  summary.tasks.emplace_back();
  EXPECT_EQ(to_json(summary).at("outside").at("frames"), 0);
  summary.outside.watched = false;
  const json report = to_json(summary);
  for (const char* key : {"frames", "held_seconds", "steal_seconds"})
    EXPECT_TRUE(report.at("outside").at(key).is_null()) << key;
  EXPECT_EQ(report.at("outside").at("throttled_count"), 0);
  EXPECT_TRUE(report.at("stalls").at("count").is_null());
  EXPECT_TRUE(report.at("tasks").at(0).at("missed_in_stall").is_null());
  std::ostringstream out;
  print_summary(summary, out);
  EXPECT_NE(out.str().find("outside: not known; name the CPUs"), std::string::npos) << out.str();
}

TEST_F(RunVerb, PrintsASummaryWithEveryNameOtherProgramsRelyOn) {
  ASSERT_EQ(run({"--duration", "0.2", "--json"}), kExitOk) << err_.str();
  const json summary = json::parse(out_.str());
  for (const char* key : {"seconds", "generations", "tasks", "segments", "achieved_rate",
                          "mean_relative_accuracy", "delivered_accuracy", "processor", "energy_joules",
                          "memory_peak_bytes", "switches", "solves", "overhead_share", "stalls"}) {
    EXPECT_TRUE(summary.contains(key)) << key;
  }
  const json& task = summary.at("tasks").at(0);
  for (const char* key : {"id",
                          "demanded",
                          "granted",
                          "received",
                          "processed",
                          "rejected",
                          "dropped",
                          "dropped_by_cause",
                          "dropped_in_stall",
                          "missed_in_stall",
                          "in_flight",
                          "achieved_rate",
                          "mean_relative_accuracy",
                          "measured_accuracy",
                          "promised_accuracy",
                          "switches",
                          "latency_seconds",
                          "age_seconds",
                          "largest_gap_seconds",
                          "variants"}) {
    EXPECT_TRUE(task.contains(key)) << key;
  }
  EXPECT_GT(task.at("latency_seconds").at("p99_in_periods"), 0.0);
  EXPECT_GT(task.at("age_seconds").at("p50"), 0.0);
  EXPECT_LE(task.at("age_seconds").at("p50"), task.at("age_seconds").at("p99"));
  EXPECT_LE(task.at("age_seconds").at("p50"), task.at("age_seconds").at("max"));
  EXPECT_EQ(task.at("id"), "gate");
  EXPECT_EQ(task.at("in_flight"), 0);
  EXPECT_TRUE(task.at("measured_accuracy").is_null());  // a folder of pictures knows no labels
  EXPECT_TRUE(summary.at("energy_joules").is_null());
}

TEST_F(RunVerb, WritesItsEventsOneObjectPerLineInTheOrderOfTheirTimes) {
  const std::string file = (folder_ / "events.jsonl").string();
  ASSERT_EQ(run({"--duration", "0.1", "--events", file}), kExitOk) << err_.str();
  std::ifstream lines(file);
  std::vector<std::string> events;
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  for (std::string line; std::getline(lines, line);) {
    const json event = json::parse(line);
    ASSERT_TRUE(event.at("at_ns").is_number_integer());
    EXPECT_GE(event.at("at_ns").get<std::int64_t>(), last);
    last = event.at("at_ns").get<std::int64_t>();
    events.push_back(event.at("event"));
  }
  ASSERT_GE(events.size(), 4U);
  EXPECT_EQ(std::vector<std::string>(events.begin(), events.begin() + 4),
            (std::vector<std::string>{"plan", "load", "warm", "swap"}));
}

TEST_F(RunVerb, EventsThatCannotBeWrittenAreAnError) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no disk that is always full";
  EXPECT_EQ(run({"--duration", "0.1", "--json", "--events", "/dev/full"}), kExitFailed);
  EXPECT_NE(err_.str().find("/dev/full: "), std::string::npos) << err_.str();
  EXPECT_TRUE(json::parse(out_.str()).contains("tasks")) << "the summary is told all the same";
}

TEST_F(RunVerb, EndsInGoodOrderOnASignal) {
  // The signal waits, blocked, until the verb watches for it; without it this run would never end.
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  kill(getpid(), SIGTERM);  // to the process: raise() would leave it with this thread
  EXPECT_EQ(run({"--json"}), kExitOk) << err_.str();
  EXPECT_EQ(json::parse(out_.str()).at("tasks").at(0).at("in_flight"), 0);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

TEST_F(RunVerb, SaysWhatIsNotThere) {
  config_["tasks"][0]["source"]["path"] = (folder_ / "missing").string();
  const int code = run({"--duration", "0.1"});
  EXPECT_TRUE(code == kExitUnavailable || code == kExitConfig) << code;
  EXPECT_NE(err_.str().find("missing"), std::string::npos) << err_.str();
}

TEST_F(RunVerb, WithoutASourceThatIsRequiredItDoesNotStart) {
  EXPECT_EQ(run({"--duration", "0.1", "--require-sources"}), kExitOk) << err_.str();
  config_["tasks"][0]["source"] = {{"type", "stream"}, {"url", "rtsp://127.0.0.1:9/cam"}};
  EXPECT_EQ(run({"--duration", "0.1", "--require-sources"}), kExitUnavailable);
  EXPECT_NE(err_.str().find("rtsp://127.0.0.1:9/cam: the camera refuses the connection"), std::string::npos)
      << err_.str();
  EXPECT_EQ(run({"--duration", "0.1"}), kExitOk) << "it waits for the camera: " << err_.str();
}

TEST_F(RunVerb, RefusesACommandLineThatMakesNoSense) {
  EXPECT_EQ(run({"--duration", "soon"}), kExitUsage);
  EXPECT_EQ(run({"--start-at", "-1"}), kExitUsage);
  EXPECT_EQ(run({"--policy", "magic"}), kExitUsage);
  EXPECT_EQ(run({"--events", "/nowhere/events"}), kExitUsage);
  EXPECT_EQ(run({"--log-level", "loud"}), kExitUsage);
  EXPECT_NE(err_.str().find("trace, debug, info, warning or error"), std::string::npos) << err_.str();
}

TEST_F(RunVerb, LogsFromTheLevelOnThatIsAskedFor) {
  const auto logged = [&](const std::string& level) {
    ::testing::internal::CaptureStdout();  // where the log of a test program goes
    EXPECT_EQ(run({"--duration", "0.1", "--log-level", level}), kExitOk) << err_.str();
    return ::testing::internal::GetCapturedStdout();
  };
  EXPECT_EQ(logged("error"), "");
  EXPECT_EQ(logged("warning").find("event=plan"), std::string::npos);
  EXPECT_NE(logged("info").find("event=plan task=- detail=\""), std::string::npos);
}

TEST_F(RunVerb, NotesOnTheProfilesAreCountedAndListedByCheck) {
  json set = json::parse(std::ifstream(config_["tasks"][0]["profiles"].get<std::string>()));
  set["variants"][0]["accuracy"] = 0.01;  // it has collapsed
  std::ofstream(folder_ / "odd.json") << set;
  config_["tasks"][0]["profiles"] = "odd.json";
  ASSERT_EQ(run({"--duration", "0.1"}), kExitOk) << err_.str();
  const std::string file = (folder_ / "config.json").string();
  EXPECT_NE(err_.str().find(" on the profiles: saccade check " + file), std::string::npos) << err_.str();
  EXPECT_EQ(err_.str().find("collapsed"), std::string::npos) << err_.str();
  std::ostringstream told;
  EXPECT_EQ(verb_check({file}, out_, told), kExitOk);
  EXPECT_NE(told.str().find("collapsed"), std::string::npos) << told.str();
}

}  // namespace
}  // namespace saccade::app
