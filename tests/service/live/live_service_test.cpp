// What the API asks of the run: narrow questions get narrow answers, and copy no task's books.
#include "service/live/live_service.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/temporary_folder.hpp"

namespace saccade::service {
namespace {

using nlohmann::json;

class NeverPlans final : public scheduler::Policy {
 public:
  [[nodiscard]] const char* name() const override { return "never"; }
  [[nodiscard]] scheduler::Plan decide(const scheduler::Snapshot&,
                                       const scheduler::DecideLimits&) const override {
    return {};
  }
};

// A run of two tasks that counts what it is asked for.
class LiveServiceTest : public ::testing::Test {
 protected:
  LiveServiceTest() {
    const std::string profiles = std::string(SACCADE_SOURCE_DIR) + "/tests/support/profiles/shapes.json";
    json tasks = json::array();
    for (const char* id : {"gate", "yard"}) {
      tasks.push_back({{"id", id}, {"profiles", profiles}, {"fps", 5}, {"source", {{"type", "push"}}}});
    }
    std::ofstream(folder_ / "config.json") << json{
        {"version", 1},
        {"processors", {{{"name", "cpu"}}}},
        {"engine", {{"backend", "simulated"}}},
        {"tasks", tasks}}.dump();
    auto start = start_from(folder_ / "config.json", nullptr);
    if (!start) ADD_FAILURE() << to_string(start.errors());
    config_ = std::make_unique<ServiceConfig>(folder_ / "config.json", std::move(start).value(), nullptr);
    config_->look([&](const LiveConfig& live, Duration) {
      run_.wanted = std::make_shared<const scheduler::Snapshot>(live.loaded().run.timeline.front().snapshot);
    });
    run_.at = std::chrono::seconds(1);
    run_.plan = std::make_shared<const scheduler::Plan>(scheduler::Plan());
    for (const scheduler::Task& task : run_.wanted->tasks) {
      runtime::TaskOutline& outline = run_.tasks.emplace_back();
      outline.id = task.id;
      outline.index = run_.tasks.size() - 1;
      outline.profiles = task.profiles;
      outline.demanded = task.demand;
    }
    service_ = std::make_unique<LiveService>(*config_, plans_, scheduler::PolicyKind::transprecision);
    service_->attach([this] { return ++copies_of_all_books_, runtime::RunStatus{}; },
                     [this](const std::optional<TaskId>& only) { return outline(only); },
                     [](runtime::TaskIndex) { return runtime::LatestFrame::Look{}; }, {}, {});
  }

  runtime::RunOutline outline(const std::optional<TaskId>& only) {
    runtime::RunOutline shown = run_;
    std::erase_if(shown.tasks, [&](const auto& task) { return only && task.id != *only; });
    tasks_looked_at_ += shown.tasks.size();
    return shown;
  }

  test::TemporaryFolder folder_;
  const NeverPlans policy_;
  const PlanBook plans_{policy_};
  std::unique_ptr<ServiceConfig> config_;
  runtime::RunOutline run_;
  std::unique_ptr<LiveService> service_;
  std::size_t copies_of_all_books_ = 0;
  std::size_t tasks_looked_at_ = 0;
};

TEST_F(LiveServiceTest, AQuestionAboutOneTaskLooksAtThatTaskAlone) {
  const auto gate = service_->network("gate");
  ASSERT_TRUE(gate);
  EXPECT_EQ(gate->input.width, run_.tasks[0].profiles->input.width);
  EXPECT_EQ(gate->processors, std::vector<std::string>{"cpu"});
  EXPECT_TRUE(service_->thumbnail("yard"));
  EXPECT_EQ(tasks_looked_at_, 2U) << "one for each";
  EXPECT_FALSE(service_->network("roof"));
  EXPECT_FALSE(service_->thumbnail("roof"));
  EXPECT_EQ(copies_of_all_books_, 0U);
}

TEST_F(LiveServiceTest, WhatShowsNoBooksCopiesNone) {
  EXPECT_TRUE(service_->readiness().ready);
  EXPECT_EQ(json::parse(service_->document(Document::models)).at("models").size(), 2U);
  (void)service_->document(Document::plan);
  (void)service_->document(Document::history);
  (void)service_->dry_run("{}");
  EXPECT_EQ(copies_of_all_books_, 0U);
}

TEST_F(LiveServiceTest, SaysThatTheDeviceDrawsMoreThanItsLimit) {
  scheduler::Snapshot wanted = *run_.wanted;
  wanted.limits.peak_power = Watts(12.0);
  runtime::RunStatus status;
  status.wanted = std::make_shared<const scheduler::Snapshot>(std::move(wanted));
  status.energy = {Joules(100.0), Watts(13.0), runtime::EnergySource::measured, "rapl package-0"};
  service_->look(status);
  const Readiness readiness = service_->readiness();
  EXPECT_TRUE(readiness.ready);
  ASSERT_EQ(readiness.checks.back().name, "power");
  EXPECT_FALSE(readiness.checks.back().ok);
  status.energy->power = Watts(11.0);
  service_->look(status);
  EXPECT_NE(service_->readiness().checks.back().name, "power");
  EXPECT_EQ(copies_of_all_books_, 0U);
}

TEST_F(LiveServiceTest, IsNotReadyWhileEverySourceThatIsWantedIsLost) {
  run_.tasks[0].source_connected = false;
  EXPECT_TRUE(service_->readiness().ready) << "the other one is served";
  run_.tasks[1].demanded = Fps(0.0);
  EXPECT_FALSE(service_->readiness().ready) << "but it is not wanted";
  run_.tasks[0].demanded = Fps(0.0);
  EXPECT_TRUE(service_->readiness().ready) << "nothing is wanted of any";
  run_.tasks[0].demanded = run_.tasks[1].demanded = Fps(5.0);
  run_.tasks[1].source_connected = false;
  const Readiness readiness = service_->readiness();
  EXPECT_FALSE(readiness.ready);
  const auto sources = std::find_if(readiness.checks.begin(), readiness.checks.end(),
                                    [](const auto& check) { return check.name == "sources"; });
  ASSERT_NE(sources, readiness.checks.end());
  EXPECT_FALSE(sources->ok);
}

TEST_F(LiveServiceTest, SaysWhichProcessorHasAnInferenceThatDoesNotReturn) {
  run_.processors = {{.left_behind = 1, .out_of_service = false}};
  Readiness readiness = service_->readiness();
  EXPECT_TRUE(readiness.ready) << "others run meanwhile";
  EXPECT_EQ(readiness.checks.back().name, "processor cpu");
  EXPECT_FALSE(readiness.checks.back().ok);
  run_.processors = {{.left_behind = 3, .out_of_service = true}};
  EXPECT_FALSE(service_->readiness().ready);
}

}  // namespace
}  // namespace saccade::service
