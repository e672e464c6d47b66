// A service from its configuration to its API and back: the program with the simulated engines serves
// on a socket file, and everything is asked and changed from outside. Every wait is for something that
// it says.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "app/report/exit_codes.hpp"
#include "app/verbs/verbs.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/http_client.hpp"
#include "tests/support/picture.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::app {
namespace {

using nlohmann::json;

class ServedRun : public ::testing::Test {
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
                  {"source", {{"type", "images"}, {"path", folder_.path().string()}}}}}},
               {"api", {{"listen", "unix:api.sock"}}}};
    write(config_.dump());
    service_.emplace(std::vector<std::string>{std::string(SACCADE_BINARY_DIR) + "/app/saccade", "run",
                                              (folder_ / "config.json").string(), "--json"},
                     (folder_ / "out").string());
    ASSERT_TRUE(service_->line_with("event=serving")) << service_->said();
    ASSERT_TRUE(service_->line_with("event=transition_end")) << service_->said();
  }

  void TearDown() override {
    service_->signal(SIGTERM);
    EXPECT_EQ(service_->wait(), kExitOk) << service_->said();
  }

  void write(const std::string& text) const { std::ofstream(folder_ / "config.json") << text; }
  [[nodiscard]] config::ListenAddress address() const { return {folder_ / "api.sock", "", 0}; }

  test::HttpReply ask(const std::string& method, const std::string& target, const std::string& body = {},
                      const std::string& headers = {}) {
    return test::HttpClient(address()).ask(method, target, body, headers);
  }
  // Until the plan that runs is of that generation, or of a later one.
  json plan_of(std::uint64_t generation) {
    for (;;) {
      json plan = json::parse(ask("GET", "/v1/plan").body);
      if (plan.is_object() && plan.at("generation") >= generation) return plan;
    }
  }
  int ctl(VerbArguments args) {
    args.insert(args.begin(), {"--socket", (folder_ / "api.sock").string()});
    told_.str("");
    wrong_.str("");
    return verb_ctl(args, told_, wrong_);
  }

  test::TemporaryFolder folder_;
  json config_;
  std::optional<test::ChildProcess> service_;
  std::ostringstream told_;
  std::ostringstream wrong_;
};

TEST_F(ServedRun, ATaskThatIsPatchedIsPlannedAnewAndEveryoneIsTold) {
  test::HttpClient events(address());
  ASSERT_EQ(events.ask("GET", "/v1/events").status, 200);
  const test::HttpReply patched = ask("PATCH", "/v1/tasks/gate", R"({"fps": 10})");
  ASSERT_EQ(patched.status, 202) << patched.body;
  const std::uint64_t generation = json::parse(patched.body).at("generation");
  const std::string wanted = "generation " + std::to_string(generation) + " ";
  std::string line;
  do {
    line = events.line();
  } while (!line.starts_with("data: ") || line.find(wanted) == std::string::npos);
  EXPECT_EQ(plan_of(generation).at("tasks").at(0).at("granted_fps"), 10);
  const json status = json::parse(ask("GET", "/v1/tasks/gate").body);
  EXPECT_EQ(status.at("demanded_fps"), 10);
  const json configuration = json::parse(ask("GET", "/v1/config").body);
  EXPECT_EQ(configuration.at("tasks").at(0).at("fps"), 10);
}

TEST_F(ServedRun, WhatIsWrongChangesNothing) {
  const std::string before = ask("GET", "/v1/config").headers.at("etag");
  const test::HttpReply refused = ask("PATCH", "/v1/tasks/gate", R"({"fps": "fast", "min_acuracy": 1})");
  EXPECT_EQ(refused.status, 422);
  const json problem = json::parse(refused.body);
  ASSERT_EQ(problem.at("errors").size(), 2U) << refused.body;
  EXPECT_EQ(problem.at("errors").at(0).at("pointer"), "#/fps");
  EXPECT_EQ(ask("PATCH", "/v1/tasks/gate", R"({"fps": 1, "fps": 2})").status, 422);
  EXPECT_EQ(ask("PATCH", "/v1/tasks/gate", std::string(40, '[')).status, 422);
  EXPECT_EQ(ask("PUT", "/v1/config", R"({"version": 1})", "If-Match: *\r\n").status, 422);
  EXPECT_EQ(ask("PUT", "/v1/config", config_.dump(), "If-Match: \"another\"\r\n").status, 412);
  EXPECT_EQ(ask("POST", "/v1/config/validate", R"({"version": 2})").status, 422);
  EXPECT_EQ(ask("POST", "/v1/config/validate", config_.dump()).status, 200);
  EXPECT_EQ(ask("GET", "/v1/config").headers.at("etag"), before);
}

TEST_F(ServedRun, AConfigurationIsReplacedByTheOneWhoHasReadIt) {
  const std::string before = ask("GET", "/v1/config").headers.at("etag");
  config_["tasks"][0]["fps"] = 20;
  const test::HttpReply put = ask("PUT", "/v1/config", config_.dump(), "If-Match: " + before + "\r\n");
  ASSERT_EQ(put.status, 202) << put.body;
  EXPECT_EQ(put.headers.at("etag"), ask("GET", "/v1/config").headers.at("etag"));
  EXPECT_EQ(ask("PUT", "/v1/config", config_.dump(), "If-Match: " + before + "\r\n").status, 412);
  EXPECT_EQ(plan_of(json::parse(put.body).at("generation")).at("tasks").at(0).at("granted_fps"), 20);
}

TEST_F(ServedRun, AReloadTakesTheFileOrNothing) {
  config_["tasks"][0]["fps"] = 5;
  write(config_.dump());
  const test::HttpReply reloaded = ask("POST", "/v1/config/reload");
  ASSERT_EQ(reloaded.status, 202) << reloaded.body;
  write("{");
  const test::HttpReply refused = ask("POST", "/v1/config/reload");
  EXPECT_EQ(refused.status, 422);
  EXPECT_EQ(refused.body.find(folder_.path().string()), std::string::npos) << "no folder of this machine";
  const std::string metrics = ask("GET", "/metrics").body;
  EXPECT_NE(metrics.find("saccade_config_last_reload_successful 0"), std::string::npos) << metrics;
  EXPECT_NE(metrics.find("saccade_config_reloads_total{result=\"refused\"} 1"), std::string::npos);
  EXPECT_EQ(json::parse(ask("GET", "/v1/config").body).at("tasks").at(0).at("fps"), 5);
}

TEST_F(ServedRun, ExplainPlansWithWhatTheServiceHasMeasured) {
  const std::string config = (folder_ / "config.json").string();
  EXPECT_EQ(verb_explain({config, "--socket", (folder_ / "api.sock").string()}, told_, wrong_), kExitOk)
      << wrong_.str();
  EXPECT_NE(told_.str().find("free as a guard"), std::string::npos) << told_.str();
  EXPECT_EQ(told_.str().find("ecoding"), std::string::npos) << "nothing is decoded: " << told_.str();
  EXPECT_EQ(verb_explain({config, "--socket", (folder_ / "none.sock").string()}, told_, wrong_),
            kExitUnavailable);
  EXPECT_EQ(verb_explain({config, "--url", "nowhere"}, told_, wrong_), kExitUsage);
}

TEST_F(ServedRun, EveryScrapeAccountsForEveryFrame) {
  for (int scrape = 0; scrape < 20; ++scrape) {
    double received = 0.0;
    double ended = 0.0;
    const test::HttpReply reply = ask("GET", "/metrics");
    ASSERT_EQ(reply.status, 200) << reply.body;
    std::istringstream lines(reply.body);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with('#')) continue;
      const double value = std::strtod(line.c_str() + line.rfind(' ') + 1, nullptr);
      if (line.starts_with("saccade_frames_received_total{")) received += value;
      for (const char* end : {"processed_total{", "dropped_total{", "in_flight{"}) {
        if (line.starts_with(std::string("saccade_frames_") + end)) ended += value;
      }
    }
    EXPECT_EQ(received, ended);
  }
}

TEST_F(ServedRun, ADryRunChangesNothing) {
  const std::string before = ask("GET", "/v1/config").headers.at("etag");
  const test::HttpReply fits = ask("POST", "/v1/plan/dry-run", R"({"tasks": {"gate": {"fps": 7}}})");
  ASSERT_EQ(fits.status, 200) << fits.body;
  EXPECT_EQ(json::parse(fits.body).at("tasks").at(0).at("granted_fps"), 7);
  const test::HttpReply conflict = ask("POST", "/v1/plan/dry-run", R"({"limits": {"memory_bytes": 1}})");
  EXPECT_EQ(conflict.status, 409);
  EXPECT_EQ(json::parse(conflict.body).at("plan").at("status"), "infeasible");
  EXPECT_EQ(
      json::parse(ask("POST", "/v1/plan/dry-run", R"({"limit": {}})").body).at("errors").at(0).at("pointer"),
      "#/limit");
  EXPECT_EQ(ask("GET", "/v1/config").headers.at("etag"), before);
}

TEST_F(ServedRun, IsDrivenFromTheCommandLine) {
  EXPECT_EQ(ctl({"status"}), kExitOk) << wrong_.str();
  EXPECT_NE(told_.str().find("gate"), std::string::npos);
  EXPECT_EQ(ctl({"status", "--json"}), kExitOk);
  EXPECT_EQ(json::parse(told_.str()).at("tasks").at(0).at("id"), "gate");
  EXPECT_EQ(ctl({"set", "tasks.gate.fps=12", "tasks.gate.weight=2"}), kExitOk) << wrong_.str();
  EXPECT_TRUE(told_.str().starts_with("generation ")) << told_.str();
  EXPECT_EQ(ctl({"limits", "memory_bytes=50000000"}), kExitOk) << wrong_.str();
  EXPECT_EQ(ctl({"limits"}), kExitOk);
  EXPECT_EQ(json::parse(told_.str()).at("memory_bytes"), 50000000);
  EXPECT_EQ(ctl({"objective", "min_memory"}), kExitOk) << wrong_.str();
  EXPECT_EQ(ctl({"what-if", "limits.memory_bytes=1"}), kExitInfeasible);
  EXPECT_NE(told_.str().find("infeasible"), std::string::npos);
  EXPECT_EQ(ctl({"what-if", "tasks.gate.fps=3"}), kExitOk) << wrong_.str();
  EXPECT_EQ(ctl({"set", "tasks.gate.fps=fast"}), kExitConfig);
  EXPECT_NE(wrong_.str().find("#/tasks/gate/fps"), std::string::npos) << wrong_.str();
  EXPECT_EQ(ctl({"set", "tasks.gone.fps=1"}), kExitConfig);
  for (const char* action : {"tasks", "plan", "history", "reload"})
    EXPECT_EQ(ctl({action}), kExitOk) << action;
  EXPECT_EQ(ctl({"watch", "--count", "2", "--interval", "0"}), kExitOk);
}

TEST_F(ServedRun, SettingsOfOneCommandHoldTogetherOrNotAtAll) {
  const json before = json::parse(ask("GET", "/v1/config").body);
  const std::uint64_t generation = json::parse(ask("GET", "/v1/status").body).at("generation");
  EXPECT_EQ(ctl({"set", "tasks.gate.fps=12", "limits.memory_bytes=-1", "objective=min_memory"}), kExitConfig);
  EXPECT_EQ(json::parse(ask("GET", "/v1/config").body), before);
  EXPECT_EQ(ctl({"set", "tasks.gate.fps=12", "limits.memory_bytes=50000000", "objective=min_memory"}),
            kExitOk)
      << wrong_.str();
  EXPECT_EQ(told_.str(), "generation " + std::to_string(generation + 1) + "\n");
  const json after = json::parse(ask("GET", "/v1/config").body);
  EXPECT_EQ(after.at("tasks").at(0).at("fps"), 12);
  EXPECT_EQ(after.at("limits").at("memory_bytes"), 50000000);
  EXPECT_EQ(after.at("objective"), "min_memory");
}

TEST(Ctl, SaysThatNobodyListens) {
  const test::TemporaryFolder folder;
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(verb_ctl({"status", "--socket", (folder / "none").string()}, out, err), kExitUnavailable);
  EXPECT_NE(err.str().find("no service listens there"), std::string::npos);
}

TEST(Ctl, TakesOnlyWhatItKnows) {
  std::ostringstream out;
  for (const VerbArguments& args : {VerbArguments{},
                                    {"stats"},
                                    {"status", "x"},
                                    {"set"},
                                    {"what-if"},
                                    {"status", "--url", "example.org"},
                                    {"status", "--url", "http://127.0.0.1:1", "--socket", "x"},
                                    {"watch", "--count", "x"},
                                    {"watch", "--interval", "x"}}) {
    std::ostringstream err;
    EXPECT_EQ(verb_ctl(args, out, err), kExitUsage) << err.str();
  }
}

}  // namespace
}  // namespace saccade::app
