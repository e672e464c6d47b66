// What makes a service ready, as a table: demand, sources and plan on the left, verdict on the right.
#include "service/live/readiness.hpp"

#include <gtest/gtest.h>

namespace saccade::service {
namespace {

using scheduler::PlanStatus;

struct Served {
  double fps = 5.0;
  bool connected = true;
};

runtime::RunOutline running(const std::vector<Served>& tasks) {
  runtime::RunOutline status;
  status.at = std::chrono::seconds(3);
  status.plan = std::make_shared<const scheduler::Plan>();
  for (const Served& task : tasks) {
    runtime::TaskOutline& added = status.tasks.emplace_back();
    added.id = TaskId("t" + std::to_string(status.tasks.size()));
    added.demanded = Fps(task.fps);
    added.source_connected = task.connected;
  }
  return status;
}

TEST(Readiness, MeasuredPowerAboveALimitIsListedAndDoesNotCount) {
  const Readiness readiness =
      readiness_of(running({{}}), PlanStatus::optimal, {}, {}, {}, std::string("the device draws 12 W"));
  EXPECT_TRUE(readiness.ready);
  ASSERT_FALSE(readiness.checks.empty());
  EXPECT_EQ(readiness.checks.back().name, "power");
  EXPECT_EQ(readiness.checks.back().detail, "the device draws 12 W");
}

TEST(Readiness, ServesUnlessEverySourceIsLostOrNothingIsFeasible) {
  EXPECT_TRUE(readiness_of(running({{}, {}}), PlanStatus::optimal, {}).ready);
  EXPECT_TRUE(readiness_of(running({{5.0, false}, {}}), PlanStatus::optimal, {}).ready);
  EXPECT_EQ(readiness_of(running({{5.0, false}, {5.0, false}}), PlanStatus::optimal, {}).reason,
            "every source is lost");
  EXPECT_EQ(readiness_of(running({{}}), PlanStatus::infeasible, {}).reason,
            "the plan is infeasible: the limits conflict");
}

TEST(Readiness, ADegradedPlanServes) {
  EXPECT_TRUE(readiness_of(running({{}}), PlanStatus::degraded, {}).ready);
  EXPECT_TRUE(readiness_of(running({{}}), PlanStatus::feasible, {}).ready);
  EXPECT_TRUE(readiness_of(running({{}}), PlanStatus::unknown, {}).ready);  // the earlier plan runs
}

TEST(Readiness, TasksWithoutDemandDoNotCount) {
  // Nothing is wanted: nothing is missing.
  EXPECT_TRUE(readiness_of(running({{0.0, false}}), PlanStatus::optimal, {}).ready);
  EXPECT_TRUE(readiness_of(running({{0.0, true}}), PlanStatus::infeasible, {}).ready);
  // The only task that is wanted has lost its source; that another one's works is no help.
  EXPECT_FALSE(readiness_of(running({{5.0, false}, {0.0, true}}), PlanStatus::optimal, {}).ready);
}

TEST(Readiness, NotBeforeThePlanAndTheFirstEngines) {
  runtime::RunOutline early = running({{}});
  early.at = Duration(0);
  EXPECT_EQ(readiness_of(early, PlanStatus::optimal, {}).reason, "the first engines are being loaded");
  early.plan = nullptr;
  EXPECT_EQ(readiness_of(early, std::nullopt, {}).reason, "there is no plan yet");
}

TEST(Readiness, NotesAreListedAndDoNotCount) {
  const Readiness readiness =
      readiness_of(running({{5.0, false}, {}}), PlanStatus::optimal, {{"#", "the file is invalid", ""}});
  EXPECT_TRUE(readiness.ready);
  std::string failed;
  for (const Readiness::Check& check : readiness.checks) {
    if (!check.ok) failed += check.name + ": " + check.detail + "\n";
  }
  EXPECT_EQ(failed, "source of t1: lost\nconfiguration: the file is invalid\n");
}

TEST(Readiness, TheTroubleOfASourceIsShown) {
  runtime::RunOutline run = running({{5.0, false}, {}});
  run.tasks[0].source_trouble = "rtsp://camera/1 refuses the connection; opening it again";
  const Readiness readiness = readiness_of(run, PlanStatus::optimal, {});
  EXPECT_TRUE(readiness.ready) << "the others are served";
  EXPECT_EQ(readiness.checks.back().detail, "lost: rtsp://camera/1 refuses the connection; opening it again");
}

TEST(Readiness, AProcessorWhoseInferencesDoNotReturnIsNot) {
  runtime::RunOutline run = running({{}});
  auto wanted = std::make_shared<scheduler::Snapshot>();
  wanted->processors.emplace_back().id = ProcessorId("cpu");
  run.wanted = wanted;
  run.processors = {{1, false}};
  EXPECT_TRUE(readiness_of(run, PlanStatus::optimal, {}).ready);
  run.processors = {{2, true}};
  EXPECT_EQ(readiness_of(run, PlanStatus::optimal, {}).reason,
            "processor cpu is out of service: inferences do not return");
}

TEST(Readiness, CamerasThatKeepTheirCpusBusyAreAWarning) {
  const auto listed = [](double share, std::size_t cpus) {
    const Readiness readiness =
        readiness_of(running({{}}), PlanStatus::optimal, {}, {}, CaptureLoad::Busy{share, cpus});
    EXPECT_TRUE(readiness.ready) << "it serves";
    std::string warned;
    for (const Readiness::Check& check : readiness.checks)
      if (!check.ok) warned += check.name + ": " + check.detail;
    return warned;
  };
  EXPECT_EQ(listed(0.8, 2), "");
  EXPECT_EQ(listed(0.914, 2),
            "capture: cameras take 91 % of the 2 CPUs on which they are read and decoded: use their "
            "sub-streams, or lower their rates");
  EXPECT_EQ(listed(0.82, 1).substr(0, 64),
            "capture: cameras take 82 % of the 1 CPU on which they are read a");
}

TEST(Readiness, ABoxWithoutItsStoreIsReadyAndSaysSinceWhen) {
  const auto fleet_check = [](const FleetFacts& fleet) {
    const Readiness readiness = readiness_of(running({{}}), PlanStatus::optimal, {}, fleet);
    EXPECT_TRUE(readiness.ready);
    return readiness.checks.back();
  };
  EXPECT_TRUE(fleet_check({true, 0.0, {}, 3, "", ""}).ok);
  EXPECT_EQ(fleet_check({true, 0.0, {}, 3, "", ""}).detail, "3 cameras");
  EXPECT_FALSE(fleet_check({true, 0.0, {}, 3, "", "it is damaged"}).ok);
  EXPECT_EQ(fleet_check({true, 0.0, {}, 3, "", "it is damaged"}).detail, "3 cameras; it is damaged");
  EXPECT_FALSE(fleet_check({false, 12.4, {}, 3, "refused", ""}).ok);
  EXPECT_EQ(fleet_check({false, 12.4, {}, 3, "refused", ""}).detail, "detached since 12 s: refused");
}

}  // namespace
}  // namespace saccade::service
