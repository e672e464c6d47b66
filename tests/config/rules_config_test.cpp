// The section `rules`: its keys, what is refused beyond single keys, and the worst case that is planned of
// it.
#include <gtest/gtest.h>

#include "config/config.hpp"
#include "config/rules_plan.hpp"

namespace saccade::config::rules_config_test {
namespace {

namespace fs = std::filesystem;
const fs::path kGood = fs::path(SACCADE_SOURCE_DIR) / "tests/config/corpus/good";

Result<LoadedConfig> read_with(const std::string& rules) {
  const std::string text =
      R"({"version": 1, "processors": [{"name": "cpu"}], "engine": {"backend": "simulated"},
          "tasks": [{"id": "gate", "profiles": "../../../support/profiles/shapes.json", "fps": 5,
                     "source": {"type": "synthetic", "data_set": "glyphs"}}],
          "rules": )" +
      rules + "}";
  return parse_config(text, "made.json", kGood);
}

std::string see_a(const std::string& set) {
  return R"([{"id": "busy", "task": "gate", "when": {"presence": {"labels": ["a"]}}, "set": )" + set + "}]";
}

TEST(RulesConfig, EveryKeyArrivesWhereItBelongs) {
  const Result<LoadedConfig> loaded = read_config(kGood / "everything.json");  // fps_scale 0.5
  ASSERT_TRUE(loaded) << to_string(loaded.errors());
  const std::vector<rules::Rule>& rules = loaded.value().rules;
  ASSERT_EQ(rules.size(), 4U);
  const rules::Rule& person = rules[0];
  EXPECT_EQ(person.id, "person");
  EXPECT_EQ(person.tasks, (std::vector<std::string>{"video", "made"}));
  EXPECT_EQ(person.presence, (rules::PresenceCondition{"made", {"a"}, 0.5, 3, std::chrono::seconds(30)}));
  EXPECT_EQ(person.clock,
            (rules::ClockWindow{22 * 60, 6 * 60 + 30, {true, false, false, false, false, false, true}}));
  EXPECT_EQ(person.set.fps, Fps(10));
  EXPECT_EQ(person.set.weight, 3.0);
  EXPECT_EQ(person.set.priority, 2);
  EXPECT_EQ(person.set.min_fps, Fps(2));
  EXPECT_EQ(person.set.min_accuracy, 0.1);
  EXPECT_EQ(person.set.min_relative_accuracy, 0.2);
  EXPECT_EQ(person.set.max_frame_time, Seconds(0.9));
  EXPECT_EQ(person.set.max_latency, Seconds(1.2));
  EXPECT_EQ(rules[1].clock, (rules::ClockWindow{0, 0})) << "a whole day";
  EXPECT_FALSE(rules[1].presence.has_value());
  EXPECT_EQ(rules[2].motion,
            (rules::MotionCondition{
                "made", {20, {{0, 0, 320, 40}}}, 0.01, std::chrono::seconds(5), std::chrono::seconds(60)}));
  EXPECT_EQ(rules[3].motion, (rules::MotionCondition{"", {30, {}}, 0.002, std::chrono::seconds(20), {}}));
}

TEST(RulesConfig, WithoutKeysTheDefaultsHold) {
  const Result<LoadedConfig> loaded = read_with(see_a(R"({"fps": 15})"));
  ASSERT_TRUE(loaded) << to_string(loaded.errors());
  EXPECT_EQ(loaded.value().rules.at(0).presence,
            (rules::PresenceCondition{"", {"a"}, 0.0, 2, std::chrono::seconds(5)}));
  EXPECT_EQ(loaded.value().run.timeline.front().snapshot.tasks[0].demand, Fps(5))
      << "rules change nothing yet";
}

TEST(RulesConfig, TheWorstCaseIsPlannedAndWhatIsLostIsSaid) {
  const Result<LoadedConfig> fits = read_with(see_a(R"({"fps": 15})"));
  ASSERT_TRUE(fits) << to_string(fits.errors());
  EXPECT_TRUE(worst_case_warnings(fits.value(), "made.json").empty());
  const Result<LoadedConfig> lacks = read_with(see_a(R"({"fps": 9999})"));
  ASSERT_TRUE(lacks) << to_string(lacks.errors());
  const Errors warnings = worst_case_warnings(lacks.value(), "made.json");
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].where.find("/rules"), std::string::npos) << warnings[0].where;
  EXPECT_NE(warnings[0].what.find("`gate` gets "), std::string::npos) << warnings[0].what;
  EXPECT_NE(warnings[0].what.find(" of 9999 frames/s"), std::string::npos) << warnings[0].what;
  EXPECT_FALSE(warnings[0].hint.empty());
}

// First what is seen at the gate raises the rate of the dock, later the other way round.
TEST(RulesConfig, RulesThatAreCircularInNoStateOfTheTimelineAreNotRefused) {
  const auto read = [](double later_dock) {
    const std::string text = R"({"version": 1, "processors": [{"name": "cpu"}],
        "engine": {"backend": "simulated"}, "tasks": [
        {"id": "gate", "profiles": "../../../support/profiles/shapes.json", "fps": 20,
         "source": {"type": "synthetic", "data_set": "glyphs"}},
        {"id": "dock", "profiles": "../../../support/profiles/shapes.json", "fps": 10,
         "source": {"type": "synthetic", "data_set": "glyphs"}}],
        "timeline": [{"at_seconds": 60, "patch": {"tasks": {"gate": {"fps": 2}, "dock": {"fps": )" +
                             std::to_string(later_dock) + R"(}}}}],
        "rules": [
        {"id": "a", "task": "dock", "when": {"presence": {"task": "gate"}}, "set": {"fps": 30}},
        {"id": "b", "task": "gate", "when": {"presence": {"task": "dock"}}, "set": {"fps": 10}}]})";
    return parse_config(text, "made.json", kGood);
  };
  const Result<LoadedConfig> by_turns = read(30);
  EXPECT_TRUE(by_turns) << to_string(by_turns.errors());
  const Result<LoadedConfig> circular = read(29);
  ASSERT_FALSE(circular);
  EXPECT_NE(to_string(circular.errors()).find("what is seen in `dock` raises `gate`"), std::string::npos);
}

TEST(RulesConfig, RulesThatOnlyLowerHaveNoWorseCaseThanTheConfiguration) {
  const Result<LoadedConfig> loaded = read_with(see_a(R"({"fps": 1})"));
  ASSERT_TRUE(loaded);
  EXPECT_TRUE(worst_case_warnings(loaded.value(), "made.json").empty());
}

TEST(RulesConfig, AFloorThatNoVariantReachesIsAWarning) {
  const Result<LoadedConfig> loaded = read_with(see_a(R"({"max_frame_time_seconds": 1e-9})"));
  ASSERT_TRUE(loaded) << to_string(loaded.errors());
  const Errors warnings = worst_case_warnings(loaded.value(), "made.json");
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].what.find("`gate` gets 0 of 5 frames/s"), std::string::npos) << warnings[0].what;
}

TEST(RuleChoiceOfPlan, TakesWordsAndIds) {
  rules::Rule a;
  a.id = "a";
  rules::Rule b;
  b.id = "busy";
  EXPECT_TRUE(choose_rules({a, b}, "none").value().rules.empty());
  EXPECT_EQ(choose_rules({a, b}, "all").value().rules.size(), 2U);
  EXPECT_FALSE(choose_rules({a, b}, "all").value().worst);
  EXPECT_TRUE(choose_rules({a, b}, "worst").value().worst);
  EXPECT_EQ(choose_rules({a, b}, "busy,a").value().rules, (std::vector{a, b})) << "in the order of the rules";
  const auto wrong = choose_rules({a, b}, "bus,a");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.errors()[0].hint, "did you mean `busy`?");
}

}  // namespace
}  // namespace saccade::config::rules_config_test
