// Laws of the rules' engine: when a rule holds, in which order they count, how often changes go out, what
// happens to those that are refused, and to rules that flap.
#include <gtest/gtest.h>

#include "tests/rules/support.hpp"

namespace saccade::rules {
namespace {

class RulesTest : public ::testing::Test {
 protected:
  std::vector<Turn> see(const std::string& task, const std::vector<std::string>& labels, double seconds,
                        double score = 0.9) {
    engine_.see(task, objects_of(labels, score), seconds_in(seconds));
    return engine_.step({seconds_in(seconds), minute_});
  }
  std::vector<Turn> wait(double seconds) { return engine_.step({seconds_in(seconds), minute_}); }
  std::vector<Turn> look(const std::string& task, double share, double seconds) {
    engine_.look(task, {{MotionMeasure{}, share}}, seconds_in(seconds));
    return wait(seconds);
  }
  [[nodiscard]] bool active(const std::string& rule) const {
    for (const RuleState& state : engine_.states(seconds_in(0))) {
      if (state.rule == rule && state.active) return true;
    }
    return false;
  }

  Engine engine_;
  int minute_ = 0;
};

TEST_F(RulesTest, PresenceHoldsFromTheSecondResultUntilTheHoldIsOver) {
  engine_.set_rules({presence_rule("person", {"gate"}, {"person"}, fps_of(15))});
  EXPECT_TRUE(see("gate", {"person"}, 1.0).empty());
  const std::vector<Turn> began = see("gate", {"person"}, 1.5);
  ASSERT_EQ(began.size(), 1U);
  EXPECT_EQ(began[0], (Turn{"person", "gate", true, false, "person in gate"}));
  EXPECT_EQ(engine_.wanted(), (Overlay{{"gate", fps_of(15)}}));
  EXPECT_TRUE(see("gate", {}, 3.0).empty());
  EXPECT_EQ(engine_.next(), seconds_in(0)) << "a change waits";
  EXPECT_TRUE(wait(6.499).empty());
  const std::vector<Turn> ended = wait(6.5);
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_FALSE(ended[0].active);
  EXPECT_TRUE(engine_.wanted().empty()) << "back to the configuration";
}

TEST_F(RulesTest, OtherLabelsTasksAndWeakScoresDoNotCount) {
  Rule rule = presence_rule("person", {"gate"}, {"person"}, fps_of(15));
  rule.presence->min_score = 0.6;
  engine_.set_rules({rule});
  for (const double at : {1.0, 2.0, 3.0}) {
    (void)see("gate", {"car"}, at);
    (void)see("dock", {"person"}, at);
    (void)see("gate", {"person"}, at, 0.59);
  }
  EXPECT_FALSE(active("person"));
  EXPECT_TRUE(engine_.watches("gate"));
  EXPECT_FALSE(engine_.watches("dock"));
}

TEST_F(RulesTest, PresenceInAnotherTaskChangesThisOne) {
  Rule rule = presence_rule("neighbour", {"yard", "street"}, {"car"}, fps_of(10));
  rule.presence->task = "gate";
  engine_.set_rules({rule});
  (void)see("yard", {"car"}, 1.0);
  (void)see("yard", {"car"}, 1.1);
  EXPECT_TRUE(engine_.wanted().empty());
  (void)see("gate", {"car"}, 1.2);
  (void)see("gate", {"car"}, 1.3);
  EXPECT_EQ(engine_.wanted(), (Overlay{{"street", fps_of(10)}, {"yard", fps_of(10)}}));
}

TEST_F(RulesTest, EveryTaskOfARuleHasAConditionOfItsOwn) {
  engine_.set_rules({presence_rule("person", {"gate", "dock"}, {"person"}, fps_of(15))});
  (void)see("dock", {"person"}, 1.0);
  (void)see("gate", {"person"}, 1.0);
  (void)see("dock", {"person"}, 1.1);
  EXPECT_EQ(engine_.wanted(), (Overlay{{"dock", fps_of(15)}}));
}

TEST_F(RulesTest, PresenceAndClockMustBothHold) {
  Rule rule = presence_rule("night", {"gate"}, {"person"}, fps_of(15));
  rule.clock = ClockWindow{22 * 60, 6 * 60};
  engine_.set_rules({rule});
  EXPECT_TRUE(engine_.has_clocks());
  minute_ = 12 * 60;
  (void)see("gate", {"person"}, 1.0);
  (void)see("gate", {"person"}, 2.0);
  EXPECT_FALSE(active("night"));
  minute_ = 23 * 60;  // the wall clock jumps: only clock conditions see it
  (void)wait(3.0);
  EXPECT_TRUE(active("night"));
}

TEST_F(RulesTest, ChangesGoOutAtMostOnceASecondWithAllThatCameSince) {
  engine_.set_rules({presence_rule("a", {"gate"}, {"person"}, fps_of(15)),
                     presence_rule("b", {"dock"}, {"person"}, fps_of(10))});
  (void)see("gate", {"person"}, 1.0);
  (void)see("gate", {"person"}, 1.1);
  ASSERT_TRUE(engine_.take_change(seconds_in(1.1)).has_value());
  engine_.accepted();
  (void)see("dock", {"person"}, 1.2);
  (void)see("dock", {"person"}, 1.3);
  EXPECT_FALSE(engine_.take_change(seconds_in(2.0)).has_value());
  EXPECT_EQ(engine_.next(), seconds_in(2.1));
  const auto change = engine_.take_change(seconds_in(2.1));
  ASSERT_TRUE(change.has_value());
  EXPECT_EQ(*change, (Overlay{{"dock", fps_of(10)}, {"gate", fps_of(15)}}));
  engine_.accepted();
  EXPECT_FALSE(engine_.take_change(seconds_in(9.0)).has_value()) << "nothing else is wanted";
}

TEST_F(RulesTest, ARefusedChangeIsToldAndTriedAgainAndForgottenWhenNothingIsWanted) {
  engine_.set_rules({presence_rule("a", {"gate"}, {"person"}, fps_of(15))});
  (void)see("gate", {"person"}, 1.0);
  (void)see("gate", {"person"}, 1.1);
  ASSERT_TRUE(engine_.take_change(seconds_in(1.1)).has_value());
  engine_.refused("too much");
  EXPECT_EQ(engine_.refusal(), "too much");
  EXPECT_FALSE(engine_.take_change(seconds_in(2.0)).has_value());
  ASSERT_TRUE(engine_.take_change(seconds_in(2.1)).has_value());
  engine_.refused("too much");
  (void)wait(6.1);
  EXPECT_FALSE(engine_.take_change(seconds_in(6.1)).has_value()) << "what runs was never changed";
  EXPECT_TRUE(engine_.refusal().empty());
}

TEST_F(RulesTest, WhatSomebodyElseBroughtIntoForceCounts) {
  engine_.set_rules({presence_rule("a", {"gate"}, {"person"}, fps_of(15))});
  (void)see("gate", {"person"}, 1.0);
  (void)see("gate", {"person"}, 1.1);
  (void)engine_.take_change(seconds_in(1.1));
  engine_.accepted();
  engine_.in_force({});  // a change of the configuration fell back to it alone
  EXPECT_TRUE(engine_.take_change(seconds_in(3.0)).has_value());
}

TEST_F(RulesTest, ARuleThatTurnsTwelveTimesInAMinuteIsFrozenForAMinute) {
  Rule rule = presence_rule("a", {"gate"}, {"person"}, fps_of(15));
  rule.presence->frames = 1;
  rule.presence->hold = std::chrono::seconds(1);
  engine_.set_rules({rule});
  std::vector<Turn> turns;
  const auto note = [&](const std::vector<Turn>& more) {
    turns.insert(turns.end(), more.begin(), more.end());
  };
  double at = 0.0;
  for (; turns.size() < 12; at += 2.0) {
    note(see("gate", {"person"}, at));
    note(wait(at + 1.0));
  }
  EXPECT_TRUE(turns.back().frozen);
  EXPECT_FALSE(turns.back().active);
  const double frozen = at - 1.0;
  for (; at < frozen + 59.0; at += 2.0) EXPECT_TRUE(see("gate", {"person"}, at).empty()) << at;
  EXPECT_TRUE(engine_.states(seconds_in(at))[0].frozen);
  EXPECT_TRUE(see("gate", {"person"}, frozen + 59.9).empty());
  EXPECT_EQ(wait(frozen + 60.0).size(), 1U) << "what holds then counts again";
  EXPECT_EQ(engine_.states(seconds_in(frozen + 60.0))[0].turns, 13);
}

TEST_F(RulesTest, TenTurnsInEveryMinuteAreNotTooMany) {
  Rule rule = presence_rule("a", {"gate"}, {"person"}, fps_of(15));
  rule.presence->frames = 1;
  rule.presence->hold = std::chrono::seconds(1);
  engine_.set_rules({rule});
  for (double at = 0.0; at < 600.0; at += 12.0) {
    EXPECT_EQ(see("gate", {"person"}, at).size(), 1U);
    EXPECT_EQ(wait(at + 1.0).size(), 1U);
  }
}

TEST_F(RulesTest, NewRulesKeepTheStateOfThoseThatAreTheSame) {
  const Rule kept = presence_rule("kept", {"gate"}, {"person"}, fps_of(15));
  engine_.set_rules({presence_rule("gone", {"dock"}, {"person"}, fps_of(9)), kept});
  for (const double at : {1.0, 1.1}) {
    (void)see("gate", {"person"}, at);
    (void)see("dock", {"person"}, at);
  }
  EXPECT_EQ(engine_.wanted().size(), 2U);
  engine_.set_rules({kept, presence_rule("new", {"dock"}, {"car"}, fps_of(9))});
  EXPECT_TRUE(wait(1.2).empty());
  EXPECT_EQ(engine_.wanted(), (Overlay{{"gate", fps_of(15)}}));
}

TEST_F(RulesTest, RulesThatHoldAndAreChangedOrRemovedEnd) {
  Rule changed = presence_rule("changed", {"gate"}, {"person"}, fps_of(15));
  engine_.set_rules({changed, presence_rule("gone", {"dock", "gate"}, {"person"}, fps_of(9)),
                     presence_rule("idle", {"yard"}, {"person"}, fps_of(9))});
  for (const double at : {1.0, 1.1}) {
    (void)see("gate", {"person"}, at);
    (void)see("dock", {"person"}, at);
  }
  changed.set = fps_of(12);
  const std::string why = "it was changed or removed";
  EXPECT_EQ(engine_.set_rules({changed}), (std::vector<Turn>{{"changed", "gate", false, false, why},
                                                             {"gone", "dock", false, false, why},
                                                             {"gone", "gate", false, false, why}}));
  EXPECT_TRUE(wait(1.2).empty()) << "the changed one begins anew";
}

TEST_F(RulesTest, TheLabelsOfARuleCountTogether) {
  engine_.set_rules({presence_rule("vehicle", {"gate"}, {"car", "truck"}, fps_of(15)),
                     presence_rule("anything", {"gate"}, {}, fps_of(12))});
  (void)see("gate", {"car"}, 1.0);
  (void)see("gate", {"truck"}, 1.1);
  EXPECT_TRUE(active("vehicle")) << "two results in a row show one of them";
  EXPECT_TRUE(active("anything"));
}

TEST_F(RulesTest, MotionHoldsFromOneLookUntilTheHoldIsOver) {
  engine_.set_rules({motion_rule("moves", {"gate"}, std::nullopt, fps_of(15))});
  EXPECT_EQ(engine_.measures("gate"), std::vector<MotionMeasure>{MotionMeasure{}});
  EXPECT_TRUE(engine_.measures("dock").empty());
  EXPECT_TRUE(look("gate", 0.002, 1.0).empty()) << "not more than the share";
  ASSERT_EQ(look("gate", 0.0021, 2.0).size(), 1U);
  EXPECT_EQ(engine_.states(seconds_in(2.0))[0].reason, "motion in gate");
  EXPECT_EQ(engine_.wanted(), (Overlay{{"gate", fps_of(15)}}));
  EXPECT_TRUE(look("gate", 0.0, 4.0).empty());
  EXPECT_TRUE(look("dock", 0.5, 5.0).empty()) << "somewhere else";
  EXPECT_TRUE(wait(6.99).empty());
  EXPECT_EQ(wait(7.0).size(), 1U);
}

TEST_F(RulesTest, StillnessHoldsOnceNothingHasMovedForSoLongAndEndsWithTheFirstMotion) {
  engine_.set_rules({motion_rule("quiet", {"gate"}, std::chrono::seconds(60), fps_of(2))});
  EXPECT_TRUE(wait(100.0).empty()) << "nobody has looked yet";
  EXPECT_FALSE(engine_.next().has_value());
  (void)look("gate", 0.0, 101.0);
  EXPECT_EQ(engine_.next(), seconds_in(161.0));
  EXPECT_TRUE(look("gate", 0.1, 130.0).empty());
  EXPECT_EQ(engine_.next(), seconds_in(190.0));
  EXPECT_TRUE(wait(189.9).empty());
  const std::vector<Turn> still = wait(190.0);
  ASSERT_EQ(still.size(), 1U);
  EXPECT_EQ(still[0].reason, "nothing moves in gate for 60 s");
  EXPECT_EQ(engine_.next(), seconds_in(0)) << "a change waits";
  EXPECT_EQ(look("gate", 0.1, 300.0).size(), 1U);
  EXPECT_TRUE(engine_.wanted().empty());
}

TEST_F(RulesTest, EveryWayToMeasureMotionHasAShareOfItsOwn) {
  Rule masked = motion_rule("masked", {"gate"}, std::nullopt, fps_of(15));
  masked.motion->measure.mask = {{0, 0, 10, 10}};
  Rule far = motion_rule("far", {"dock"}, std::nullopt, fps_of(9));
  far.motion->task = "gate";
  engine_.set_rules({masked, far});
  ASSERT_EQ(engine_.measures("gate").size(), 2U);
  engine_.look("gate", {{masked.motion->measure, 0.0}, {MotionMeasure{}, 0.1}}, seconds_in(1));
  (void)wait(1.0);
  EXPECT_FALSE(active("masked"));
  EXPECT_TRUE(active("far"));
}

TEST_F(RulesTest, WithoutRulesNothingIsEverDue) {
  (void)see("gate", {"person"}, 1.0);
  EXPECT_TRUE(wait(2.0).empty());
  EXPECT_FALSE(engine_.next().has_value());
  EXPECT_FALSE(engine_.take_change(seconds_in(3.0)).has_value());
}

}  // namespace
}  // namespace saccade::rules
