// The rates of a transition on a processor that is slower or faster than profiled.
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/control/controller.hpp"
#include "tests/support/milliseconds.hpp"
#include "tests/support/scenes.hpp"

namespace saccade::test {
namespace {

using namespace runtime;

// Two cameras, each with variants of 10 and 12 ms per frame; 0.95 of the processor is planned with.
class TransitionRates : public ::testing::Test {
 protected:
  TransitionRates() { tell(event::Change{snapshot, {}}); }

  // Passes an event on, and answers every action by success at once, loads only while they are let through.
  void tell(Event first) {
    std::deque<Event> events{std::move(first)};
    while (!events.empty()) {
      for (const Action& action : controller.on(events.front(), now)) answer(action, events);
      events.pop_front();
    }
  }
  // A factor is measured, then a plan moves both cameras to the other variant, whose load does not end.
  void switch_at(double correction, std::vector<double> demands) {
    now += std::chrono::seconds(10);
    for (TaskIndex task = 0; task < 2; ++task) snapshot.tasks[task].demand = Fps(demands[task]);
    tell(event::Change{snapshot, {}});
    now += std::chrono::seconds(10);
    tell(event::Measured{{{0, correction}}});
    now += std::chrono::seconds(10);
    loads_end = false;
    wish = {1, 1};
    tell(event::Change{snapshot, {}});
    ASSERT_TRUE(controller.in_transition());
    ASSERT_EQ(controller.serving(0), 0U);
  }
  void let_loads_end() {
    loads_end = true;
    tell(event::LoadFinished{waiting->engine, {}, Duration(0)});
  }

  scheduler::Snapshot snapshot = scene({camera("a", 10, network({{"old", 0.9, 10.0}, {"new", 0.95, 12.0}})),
                                        camera("b", 10, network({{"old", 0.9, 10.0}, {"new", 0.95, 12.0}}))});
  Controller controller{{}};
  TimePoint now = at_ms(0);
  std::vector<std::optional<std::size_t>> wish{0, 0};
  bool loads_end = true;
  bool solver_answers = true;
  std::optional<action::Load> waiting;
  scheduler::Snapshot asked;  // of the policy, last
  std::map<TaskIndex, double> rates;
  std::optional<bool> urgent;  // absent: nothing was said

 private:
  void answer(const Action& action, std::deque<Event>& events) {
    if (const auto* solve = std::get_if<action::Solve>(&action)) {
      asked = solve->snapshot;
      if (solver_answers) events.push_back(event::PlanReady{scripted(solve->snapshot, wish), Duration(0)});
    } else if (const auto* load = std::get_if<action::Load>(&action)) {
      loads_end ? events.push_back(event::LoadFinished{load->engine, {}, Duration(0)})
                : static_cast<void>(waiting = *load);
    } else if (const auto* warm = std::get_if<action::Warm>(&action)) {
      events.push_back(event::WarmFinished{warm->engine, {}, Duration(0)});
    } else if (const auto* swap = std::get_if<action::Swap>(&action)) {
      if (swap->old) events.push_back(event::Drained{*swap->old});
    } else if (const auto* unload = std::get_if<action::Unload>(&action)) {
      events.push_back(event::Unloaded{unload->engine});
    } else if (const auto* rate = std::get_if<action::SetRate>(&action)) {
      rates[rate->task] = rate->rate.value();
    } else if (const auto* urgency = std::get_if<action::SetUrgency>(&action)) {
      urgent = urgency->urgent;
    }
  }
};

TEST_F(TransitionRates, AreLoweredToWhatASlowProcessorHasLeft) {
  switch_at(2.4, {40, 10});  // 0.96 and 0.24 are wanted; b gets its 0.24, a what is left of 0.95
  EXPECT_NEAR(rates[1], 10.0, 1e-9);
  EXPECT_NEAR(rates[0], (0.95 - 0.24) / 0.024, 1e-9);
  let_loads_end();
  EXPECT_FALSE(controller.in_transition());
  ASSERT_EQ(controller.switches().size(), 2U);
  EXPECT_FALSE(controller.switches()[0].both_fit);
}

// What runs stays if nothing better can be planned: not at a rate of half a second.
TEST_F(TransitionRates, AreNotWhatAPolicyTakesForTheRatesOfWhatRuns) {
  switch_at(2.4, {40, 10});
  now += std::chrono::seconds(1);
  solver_answers = false;
  asked = {};
  tell(event::Change{snapshot, {}, {}, {2.4}});
  ASSERT_LT(rates[0], 40.0);
  ASSERT_EQ(asked.tasks.size(), 2U);
  EXPECT_EQ(asked.tasks[0].running, 0U);
  EXPECT_EQ(asked.tasks[0].running_rate, Fps(40.0));
  EXPECT_EQ(asked.tasks[1].running_rate, Fps(10.0));
}

TEST_F(TransitionRates, AreNotLoweredWhereAFastProcessorHasRoom) {
  switch_at(0.1, {200, 100});  // by the profile 2.0 and 1.0 of the processor, in truth 0.2 and 0.1
  EXPECT_NEAR(rates[0], 200.0, 1e-9);
  EXPECT_NEAR(rates[1], 100.0, 1e-9);
  let_loads_end();
  ASSERT_EQ(controller.switches().size(), 2U);
  for (const SwitchRecord& record : controller.switches()) EXPECT_TRUE(record.both_fit);
}

TEST_F(TransitionRates, LowerOnesMakeLoadsUrgentUntilTheyEnd) {
  EXPECT_EQ(urgent, false) << "the first engines serve";
  switch_at(2.4, {40, 10});
  EXPECT_EQ(urgent, true);
  let_loads_end();
  EXPECT_EQ(urgent, false);
}

TEST_F(TransitionRates, NoLowerOnesMakeNoLoadUrgent) {
  urgent.reset();
  switch_at(1.0, {40, 10});
  EXPECT_EQ(urgent, std::nullopt);
  now += std::chrono::seconds(1);
  tell(event::Measured{{{0, 2.4}}});
  EXPECT_EQ(urgent, true) << "now it lowers a rate";
}

TEST_F(TransitionRates, FollowAFactorThatIsMeasuredDuringTheTransition) {
  switch_at(1.0, {40, 10});
  EXPECT_NEAR(rates[0], 40.0, 1e-9);
  now += std::chrono::seconds(1);
  tell(event::Measured{{{0, 2.4}}});
  EXPECT_NEAR(rates[0], (0.95 - 0.24) / 0.024, 1e-9);
}

TEST_F(TransitionRates, FollowTheFactorOfAChangeBeforeItsPlanIsThere) {
  switch_at(1.0, {40, 10});
  now += std::chrono::seconds(1);
  solver_answers = false;
  tell(event::Change{snapshot, {}, {}, {2.4}});
  EXPECT_TRUE(controller.in_transition());
  EXPECT_NEAR(rates[0], (0.95 - 0.24) / 0.024, 1e-9);
  EXPECT_NEAR(rates[1], 10.0, 1e-9);
}

}  // namespace
}  // namespace saccade::test
