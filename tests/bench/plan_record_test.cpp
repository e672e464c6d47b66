// The naive way of `saccade bench switch` gets the plans of the product, when the product had them.
#include "bench/switch/plan_record.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <utility>

namespace saccade::bench {
namespace {

using std::chrono::milliseconds;
using PlanPtr = std::shared_ptr<const scheduler::Plan>;

// One task with this variant.
PlanPtr plan_of(std::size_t variant) {
  scheduler::Plan plan;
  plan.tasks.emplace_back().variant = variant;
  return std::make_shared<const scheduler::Plan>(std::move(plan));
}

std::size_t switches(const std::vector<PlanAt>& plans) {
  std::size_t count = 0;
  for (std::size_t i = 1; i < plans.size(); ++i)
    count += plans[i].plan->tasks.front().variant != plans[i - 1].plan->tasks.front().variant ? 1U : 0U;
  return count;
}

TEST(PlanRecorder, WritesDownEveryChangeAndNothingElse) {
  PlanRecorder recorder;
  const PlanPtr small = plan_of(0);
  const PlanPtr big = plan_of(1);
  recorder.note(milliseconds(0), nullptr);
  recorder.note(milliseconds(20), small);
  recorder.note(milliseconds(40), small);
  recorder.note(milliseconds(60), big);
  recorder.note(milliseconds(80), small);
  const std::vector<PlanAt> plans = recorder.within(Duration(0), milliseconds(100));
  ASSERT_EQ(plans.size(), 3U);
  EXPECT_EQ(plans[0].plan, small);
  EXPECT_EQ(plans[0].at, Duration(0)) << "there is no other before it";
  EXPECT_EQ(plans[1].plan, big);
  EXPECT_EQ(plans[1].at, Duration(milliseconds(60)));
  EXPECT_EQ(plans[2].plan, small) << "a plan that returns is a change";
}

TEST(PlanRecorder, WhatRanAtTheBeginningOfAWindowRunsFromItsBeginningOn) {
  PlanRecorder recorder;
  const PlanPtr plans[] = {plan_of(0), plan_of(1), plan_of(2), plan_of(3)};
  for (int i = 0; i < 4; ++i) recorder.note(milliseconds(100 * i), plans[i]);
  const std::vector<PlanAt> within = recorder.within(milliseconds(150), milliseconds(300));
  ASSERT_EQ(within.size(), 2U) << "what begins at its end is outside";
  EXPECT_EQ(within[0].plan, plans[1]);
  EXPECT_EQ(within[0].at, Duration(0));
  EXPECT_EQ(within[1].plan, plans[2]);
  EXPECT_EQ(within[1].at, Duration(milliseconds(50)));
  EXPECT_EQ(recorder.within(milliseconds(200), milliseconds(210)).front().plan, plans[2])
      << "one that begins with it";
  EXPECT_TRUE(PlanRecorder().within(Duration(0), milliseconds(100)).empty());
}

TEST(PlanReplay, GivesEachPlanAtItsTime) {
  const PlanPtr plans[] = {plan_of(0), plan_of(1), plan_of(2)};
  PlanReplay replay({{Duration(0), plans[0]}, {milliseconds(50), plans[1]}, {milliseconds(70), plans[2]}});
  EXPECT_EQ(replay.due(Duration(0)), plans[0].get());
  EXPECT_EQ(replay.due(milliseconds(49)), nullptr);
  EXPECT_EQ(replay.next(), Duration(milliseconds(50)));
  EXPECT_EQ(replay.due(milliseconds(50)), plans[1].get());
  EXPECT_EQ(replay.due(milliseconds(50)), nullptr);
  EXPECT_EQ(replay.due(milliseconds(90)), plans[2].get());
  EXPECT_EQ(replay.due(milliseconds(1000)), nullptr);
  EXPECT_EQ(replay.next(), Duration::max());
}

// At an automatic guard the plans of one state change over the run: its last one alone says nothing of the
// switches. A server that loads between two frames is late for plans, and gets each of them all the same.
TEST(PlanReplay, WhoIsLateSwitchesAsOftenAsTheProduct) {
  PlanRecorder recorder;
  for (int change = 0; change < 40; ++change)
    recorder.note(milliseconds(613 * change),
                  plan_of(change < 30 ? static_cast<std::size_t>(change % 3) : 0));
  const std::vector<PlanAt> product = recorder.within(Duration(0), milliseconds(613 * 40));
  ASSERT_EQ(switches(product), 30U);
  PlanReplay replay(product);
  std::vector<PlanAt> naive;
  for (Duration now(0); now < milliseconds(613 * 40); now += milliseconds(1000)) {
    while (const scheduler::Plan* plan = replay.due(now)) {
      naive.push_back({now, std::make_shared<const scheduler::Plan>(*plan)});
      EXPECT_LT(now - product[naive.size() - 1].at, milliseconds(1000));
    }
  }
  EXPECT_EQ(naive.size(), product.size());
  EXPECT_EQ(switches(naive), 30U);
}

}  // namespace
}  // namespace saccade::bench
