// What workers note for rules is what the engine makes of the same results itself.
#include "service/live/rule_watch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

namespace saccade::service {
namespace {

constexpr int kTasks = 3;

class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  std::string task() { return "task-" + std::to_string(below(kTasks)); }

  rules::Rule rule(int number) {
    rules::Rule rule;
    rule.id = "rule-" + std::to_string(number);
    rule.tasks = {task()};
    rule.presence.emplace();
    if (below(2) == 0) rule.presence->task = task();
    if (below(4) != 0) rule.presence->labels = {label()};
    if (below(2) == 0) rule.presence->min_score = 0.5;
    rule.presence->frames = static_cast<std::size_t>(1 + below(3));
    rule.presence->hold = std::chrono::milliseconds(1 + below(8000));
    rule.set.weight = 1.0 + number;
    return rule;
  }
  std::vector<rules::Rule> rules() {
    std::vector<rules::Rule> all;
    for (int i = 0; i < 4; ++i) all.push_back(rule(i));
    return all;
  }
  // Two sets with other labels in another order; of a label that no set has there may be an object, too.
  std::shared_ptr<const profiles::ProfileSet> profiles() {
    profiles::ProfileSet set;
    set.labels = below(2) == 0 ? std::vector<std::string>{"person", "car", "dog"}
                               : std::vector<std::string>{"dog", "person"};
    return std::make_shared<const profiles::ProfileSet>(set);
  }
  vision::Objects objects() {
    vision::Objects objects;
    for (int n = below(3); n > 0; --n) objects.push_back({{}, below(5) - 1, below(4) == 0 ? 0.4F : 0.9F, 0});
    return objects;
  }

 private:
  std::string label() {
    return std::array{"person", "car", "dog", "cat"}[static_cast<std::size_t>(below(4))];
  }
  std::mt19937 random_;
};

std::vector<results::SeenObject> named(const vision::Objects& objects, const profiles::ProfileSet& set) {
  std::vector<results::SeenObject> all;
  for (const vision::Object& object : objects) {
    if (object.label < 0 || static_cast<std::size_t>(object.label) >= set.labels.size()) continue;
    all.push_back({set.labels[static_cast<std::size_t>(object.label)], object.label, object.score, {}, 0});
  }
  return all;
}

// The same results into an engine by itself, and into one whose results are watched.
class Both {
 public:
  explicit Both(Draw& draw) : draw_(draw) {
    set_rules();
    for (int i = 0; i < kTasks; ++i) tasks_.push_back({TaskId("task-" + std::to_string(i)), draw.profiles()});
  }
  void set_rules() {
    const std::vector<rules::Rule> rules = draw_.rules();
    ASSERT_EQ(watch_.set_rules(watched_, rules), alone_.set_rules(rules));
  }
  void exchange_profiles() {
    runtime::ServedTask& task = tasks_[static_cast<std::size_t>(draw_.below(kTasks))];
    task.profiles = draw_.profiles();
  }
  void see() {
    clock_.advance(std::chrono::milliseconds(draw_.below(1500)));
    const runtime::ServedTask& task = tasks_[static_cast<std::size_t>(draw_.below(kTasks))];
    const vision::Objects objects = draw_.objects();
    if (watch_.see({.task = task, .objects = objects})) begun_ = true;
    alone_.see(task.id.str(), named(objects, *task.profiles), clock_.now());
  }
  // Rarely enough that no rule is frozen. True: a rule has become active.
  bool step() {
    clock_.advance(std::chrono::milliseconds(6000 + draw_.below(4000)));
    for (int i = draw_.below(5); i > 0; --i) see();
    const rules::Moment moment{watch_.note_in(watched_), 0};
    EXPECT_EQ(moment.now, clock_.now());
    const std::vector<rules::Turn> turns = watched_.step(moment);
    EXPECT_EQ(turns, alone_.step(moment));
    EXPECT_EQ(watched_.wanted(), alone_.wanted());
    EXPECT_EQ(watched_.next(), alone_.next());
    const bool became =
        std::any_of(turns.begin(), turns.end(), [](const rules::Turn& turn) { return turn.active; });
    EXPECT_TRUE(begun_ || !became) << "the step was not due";
    begun_ = false;
    return became;
  }

 private:
  Draw& draw_;
  ManualClock clock_;
  RuleWatch watch_{clock_};
  rules::Engine watched_;
  rules::Engine alone_;
  std::vector<runtime::ServedTask> tasks_;
  bool begun_ = false;
};

TEST(RuleWatch, IsTheEngineWithoutTheResults) {
  int became = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Draw draw(seed);
    Both both(draw);
    for (int step = 0; step < 100 && !::testing::Test::HasFailure(); ++step) {
      if (draw.below(20) == 0) both.exchange_profiles();
      if (draw.below(20) == 0) both.set_rules();
      became += both.step() ? 1 : 0;
    }
  }
  EXPECT_GT(became, 500);
}

// The engine would end a presence that goes on, and no later result would begin it again.
TEST(RuleWatch, AResultBetweenTheNotingAndTheStepEndsNoPresence) {
  rules::Rule person;
  person.id = "person";
  person.tasks = {"gate"};
  person.presence.emplace();
  person.presence->frames = 1;
  person.presence->hold = std::chrono::seconds(5);
  profiles::ProfileSet set;
  set.labels = {"person"};
  const runtime::ServedTask gate{TaskId("gate"), std::make_shared<const profiles::ProfileSet>(set)};
  const vision::Objects objects = {{{}, 0, 0.9F, 0}};
  ManualClock clock;
  RuleWatch watch(clock);
  rules::Engine engine;
  watch.set_rules(engine, {person});
  EXPECT_TRUE(watch.see({.task = gate, .objects = objects}));
  EXPECT_EQ(engine.step({watch.note_in(engine), 0}).size(), 1U);
  clock.advance(std::chrono::milliseconds(4900));
  const TimePoint noted = watch.note_in(engine);
  EXPECT_FALSE(watch.see({.task = gate, .objects = objects})) << "it goes on";
  clock.advance(std::chrono::milliseconds(200));  // past the end that the engine knows of
  EXPECT_TRUE(engine.step({noted, 0}).empty());
  EXPECT_TRUE(engine.step({watch.note_in(engine), 0}).empty()) << "it was seen since";
}

TEST(RuleWatch, AResultBeforeAnExchangeOfRulesCounts) {
  rules::Rule person;
  person.id = "person";
  person.tasks = {"gate"};
  person.presence.emplace();
  rules::Rule other = person;
  other.id = "other";
  profiles::ProfileSet set;
  set.labels = {"person"};
  const runtime::ServedTask gate{TaskId("gate"), std::make_shared<const profiles::ProfileSet>(set)};
  const vision::Objects objects = {{{}, 0, 0.9F, 0}};
  const ManualClock clock;
  RuleWatch watch(clock);
  rules::Engine engine;
  watch.set_rules(engine, {person});
  EXPECT_FALSE(watch.see({.task = gate, .objects = objects}));
  watch.set_rules(engine, {other, person});
  EXPECT_TRUE(watch.see({.task = gate, .objects = objects})) << "the second in a row";
  const std::vector<rules::Turn> turns = engine.step({watch.note_in(engine), 0});
  ASSERT_EQ(turns.size(), 1U);
  EXPECT_EQ(turns[0].rule, "person");
}

TEST(RuleWatch, OfAClassifierTheBestLabelOfEachRegionCounts) {
  rules::Rule rule;
  rule.id = "car";
  rule.tasks = {"gate"};
  rule.presence.emplace();
  rule.presence->labels = {"car"};
  rule.presence->frames = 1;
  rule.presence->min_score = 0.9;
  profiles::ProfileSet set;
  set.labels = {"person", "car"};
  const runtime::ServedTask gate{TaskId("gate"), std::make_shared<const profiles::ProfileSet>(set)};
  const vision::Objects none;
  const ManualClock clock;
  RuleWatch watch(clock);
  rules::Engine engine;
  watch.set_rules(engine, {rule});
  const auto begins = [&](std::vector<int> classes, std::vector<float> logits) {
    return watch.see({.task = gate, .objects = none, .classes = classes, .logits = logits});
  };
  EXPECT_FALSE(begins({0, 0}, {9.0F, 0.0F, 9.0F, 0.0F}));
  EXPECT_FALSE(begins({0, 1}, {9.0F, 0.0F, 0.0F, 1.0F})) << "too weak";
  EXPECT_TRUE(begins({0, 1}, {9.0F, 0.0F, 0.0F, 9.0F}));
}

}  // namespace
}  // namespace saccade::service
