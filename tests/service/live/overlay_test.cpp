// What rules lay over the configuration of a service: it reaches the run by the same way as any change, is no
// part of the document, and never stands in the way of a change.
#include <gtest/gtest.h>

#include <fstream>
#include <future>
#include <nlohmann/json.hpp>

#include "service/live/preview.hpp"
#include "service/live/service_config.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::service {
namespace {

using nlohmann::json;

rules::Overlay fps_over(double fps) {
  rules::Settings settings;
  settings.fps = Fps(fps);
  return {{"gate", settings}};
}

class OverlaidService : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string profiles = std::string(SACCADE_SOURCE_DIR) + "/tests/support/profiles/shapes.json";
    const json task = {{"id", "gate"},
                       {"profiles", profiles},
                       {"fps", 5},
                       {"source", {{"type", "synthetic"}, {"data_set", "glyphs"}}}};
    std::ofstream(folder_ / "config.json") << json{
        {"version", 1},
        {"processors", {{{"name", "cpu"}}}},
        {"engine", {{"backend", "simulated"}}},
        {"tasks", {task}},
        {"timeline", {{{"at_seconds", 60}, {"patch", {{"tasks", {{"gate", {{"fps", 8}}}}}}}}}},
        {"rules",
         {{{"id", "busy"},
           {"task", "gate"},
           {"when", {{"presence", json::object()}}},
           {"set", {{"fps", 15}}}}}}}.dump();
    auto start = start_from(folder_ / "config.json", nullptr);
    ASSERT_TRUE(start.ok()) << to_string(start.errors());
    config_ = std::make_unique<ServiceConfig>(folder_ / "config.json", std::move(start).value(), nullptr);
  }
  void attach() {
    config_->attach(RunSeam{[this](const runtime::RunConfig& wanted) -> Result<std::uint64_t> {
                              if (refuses_) return Error{"run", "is broken", ""};
                              running_ = wanted;
                              return ++generation_;
                            },
                            [] { return Duration(0); },
                            [this](const std::vector<rules::Rule>& rules, const rules::Overlay& in_force) {
                              told_ = rules;
                              told_in_force_ = in_force;
                            }});
  }
  [[nodiscard]] const scheduler::Task& gate(std::size_t state = 0) const {
    return running_.timeline.at(state).snapshot.tasks.front();
  }
  [[nodiscard]] runtime::ChangeResult<ServiceConfig::Applied> patch(const std::string& text) {
    return config_->change(
        [&](const LiveConfig& live, Duration at) { return live.task_patched("gate", text, at); });
  }

  test::TemporaryFolder folder_;
  std::unique_ptr<ServiceConfig> config_;
  bool refuses_ = false;
  std::uint64_t generation_ = 0;
  runtime::RunConfig running_;
  std::vector<rules::Rule> told_;
  rules::Overlay told_in_force_;
  std::future<bool> waiting_;  // for a change to end
};

TEST_F(OverlaidService, LiesOverEveryStateOfTheTimelineAndNotInTheDocument) {
  attach();
  const auto before = config_->document();
  ASSERT_TRUE(config_->lay_over(fps_over(15)).ok());
  EXPECT_EQ(gate(0).demand, Fps(15));
  EXPECT_EQ(gate(1).demand, Fps(15));
  EXPECT_EQ(config_->document().text, before.text);
  EXPECT_EQ(config_->document().etag, before.etag);
  EXPECT_EQ(config_->overlay(), fps_over(15));
  ASSERT_TRUE(config_->lay_over({}).ok());
  EXPECT_EQ(gate(0).demand, Fps(5)) << "back to the configuration";
  EXPECT_EQ(gate(1).demand, Fps(8));
}

TEST_F(OverlaidService, APatchChangesWhatIsBelow) {
  attach();
  ASSERT_TRUE(config_->lay_over(fps_over(15)).ok());
  ASSERT_TRUE(patch(R"({"fps": 2, "weight": 7})").ok());
  EXPECT_EQ(gate().demand, Fps(15)) << "the rule still holds";
  EXPECT_EQ(gate().weight, 7.0) << "no rule sets it";
  EXPECT_EQ(told_in_force_, fps_over(15));
  ASSERT_TRUE(config_->lay_over({}).ok());
  EXPECT_EQ(gate().demand, Fps(2));
}

TEST_F(OverlaidService, WhatCannotBePlannedIsRefusedAndLeavesWhatRuns) {
  attach();
  ASSERT_TRUE(config_->lay_over(fps_over(15)).ok());
  rules::Overlay broken = fps_over(15);
  broken["gate"].min_accuracy = 2.0;
  const auto refused = config_->lay_over(broken);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.refused().kind, runtime::Refusal::invalid);
  EXPECT_EQ(generation_, 1U) << "the run was not asked";
  EXPECT_EQ(config_->overlay(), fps_over(15));
  refuses_ = true;
  EXPECT_FALSE(config_->lay_over({}).ok());
  EXPECT_EQ(config_->overlay(), fps_over(15)) << "the run refused";
}

TEST_F(OverlaidService, BeforeARunNothingIsTaken) {
  const auto refused = config_->lay_over(fps_over(15));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.refused().kind, runtime::Refusal::unavailable);
  attach();
  ASSERT_TRUE(config_->lay_over(fps_over(15)).ok());
  attach();
  EXPECT_TRUE(config_->overlay().empty()) << "another run begins with the configuration alone";
}

TEST_F(OverlaidService, OtherRulesAreToldWithTheChangeThatBringsThem) {
  attach();
  const auto changed = config_->change(
      [](const LiveConfig& live, Duration at) { return live.patched(R"({"rules": []})", at); });
  ASSERT_TRUE(changed.ok()) << to_string(changed.errors());
  EXPECT_TRUE(told_.empty());
  ASSERT_TRUE(patch(R"({"fps": 3})").ok());
  ASSERT_TRUE(config_->reload().ok());
  ASSERT_EQ(told_.size(), 1U) << "the file has one";
  EXPECT_EQ(told_[0].id, "busy");
}

TEST_F(OverlaidService, ADryRunCountsTheRulesThatHold) {
  attach();
  config_->look([&](const LiveConfig& live, Duration at) {
    const auto state = preview(live, R"({"tasks": {"gate": {"fps": 2}}})", at, {}, {{"busy", "gate"}});
    ASSERT_TRUE(state.ok());
    EXPECT_EQ(state.value().tasks[0].demand, Fps(15));
  });
}

// Requests that only look must not wait while a change waits for the run.
TEST_F(OverlaidService, WhatReadersAskIsAnsweredWhileAChangeIsUnderWay) {
  bool answered = false;
  config_->attach(RunSeam{
      [&](const runtime::RunConfig&) -> Result<std::uint64_t> {
        std::future<bool> asked = std::async(std::launch::async, [&] {
          return config_->has_task("gate") && !config_->has_task("dock") && !config_->document().etag.empty();
        });
        answered = asked.wait_for(std::chrono::seconds(20)) == std::future_status::ready && asked.get();
        if (!answered) waiting_ = std::move(asked);
        return ++generation_;
      },
      [] { return Duration(0); }});
  ASSERT_TRUE(config_->lay_over(fps_over(15)).ok());
  EXPECT_TRUE(answered);
}

}  // namespace
}  // namespace saccade::service
