// The engine against an oracle that knows nothing but the history: at every step it works out from the first
// result on which rules hold, and so what is wanted.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/rules/support.hpp"

namespace saccade::rules {
namespace {

struct SeenThen {
  TimePoint at;
  std::string task;
  std::vector<results::SeenObject> objects;
};
struct LookThen {
  TimePoint at;
  std::string task;
  double share = 0.0;
};
struct History {
  std::vector<SeenThen> results;
  std::vector<LookThen> looks;
  std::vector<Moment> moments;  // of the steps
};

bool shows(const SeenThen& result, const PresenceCondition& condition) {
  const std::vector<std::string>& labels = condition.labels;
  return std::any_of(result.objects.begin(), result.objects.end(), [&](const auto& object) {
    return std::count(labels.begin(), labels.end(), object.label) > 0 && object.score >= condition.min_score;
  });
}

// By the definition: there is a result that completed a row of `frames`, and from it on no gap between
// results that show one of the labels is as long as the hold, up to now.
bool present(const History& history, const PresenceCondition& condition, const std::string& task,
             TimePoint now) {
  std::vector<const SeenThen*> of_task;
  for (const SeenThen& result : history.results) {
    if (result.task == task && result.at <= now) of_task.push_back(&result);
  }
  for (std::size_t end = condition.frames; end <= of_task.size(); ++end) {
    bool row = true;
    for (std::size_t i = end - condition.frames; i < end; ++i) row &= shows(*of_task[i], condition);
    if (!row) continue;
    TimePoint last = of_task[end - 1]->at;
    bool unbroken = true;
    for (std::size_t i = end; i < of_task.size() && unbroken; ++i) {
      if (!shows(*of_task[i], condition)) continue;
      unbroken = of_task[i]->at - last < condition.hold;
      last = of_task[i]->at;
    }
    if (unbroken && now - last < condition.hold) return true;
  }
  return false;
}

// Moving: some look within the hold shows it. Still: none within the stillness does, and somebody looked, or
// something moved, before that.
bool moves(const History& history, const MotionCondition& condition, const std::string& task, TimePoint now) {
  const Duration within = condition.still.value_or(condition.hold);
  bool lately = false;
  bool known = false;
  for (const LookThen& look : history.looks) {
    if (look.task != task || look.at > now) continue;
    lately |= look.share > condition.share && now - look.at < within;
    known |= now - look.at >= within;
  }
  return condition.still ? known && !lately : lately;
}

bool met(const History& history, const Rule& rule, const std::string& task, const Moment& at) {
  if (rule.clock && !covers(*rule.clock, at.minute_of_week)) return false;
  if (rule.motion &&
      !moves(history, *rule.motion, rule.motion->task.empty() ? task : rule.motion->task, at.now))
    return false;
  if (!rule.presence) return true;
  const std::string& of = rule.presence->task.empty() ? task : rule.presence->task;
  return present(history, *rule.presence, of, at.now);
}

// All steps so far, one after the other: a rule follows its conditions unless twelve turns lie in the minute
// up to a turn of the last minute.
bool holds_after(const History& history, const Rule& rule, const std::string& task) {
  bool active = false;
  std::vector<TimePoint> turns;
  std::vector<TimePoint> freezes;
  for (const Moment& at : history.moments) {
    if (!freezes.empty() && at.now - freezes.back() < std::chrono::seconds(60)) continue;
    if (met(history, rule, task, at) == active) continue;
    active = !active;
    turns.push_back(at.now);
    const auto lately = std::count_if(turns.begin(), turns.end(), [&](TimePoint turn) {
      return at.now - turn < std::chrono::seconds(60) && (freezes.empty() || turn > freezes.back());
    });
    if (lately >= 12) freezes.push_back(at.now);
  }
  return active;
}

Overlay wanted_after(const History& history, const std::vector<Rule>& rules) {
  std::map<std::string, Settings> wanted;
  for (const Rule& rule : rules) {
    for (const std::string& task : rule.tasks) {
      if (!holds_after(history, rule, task)) continue;
      Settings& of = wanted[task];
      if (rule.set.fps) of.fps = rule.set.fps;
      if (rule.set.weight) of.weight = rule.set.weight;
    }
  }
  return wanted;
}

class Draw {
 public:
  explicit Draw(unsigned seed) : engine_(seed) {}
  int below(int n) { return static_cast<int>(engine_() % static_cast<unsigned>(n)); }
  std::string task() { return std::string(1, static_cast<char>('a' + below(3))); }
  std::string label() { return std::string(1, static_cast<char>('x' + below(3))); }

  Rule rule(int number) {
    Rule rule;
    rule.id = "r" + std::to_string(number);
    rule.tasks = {task()};
    const std::string other = task();
    if (other != rule.tasks[0]) rule.tasks.push_back(other);
    const int kind = below(6);
    if (kind >= 4) {
      rule.motion.emplace();
      if (below(2) == 0) rule.motion->task = task();
      if (below(2) == 0) rule.motion->still = std::chrono::milliseconds(1 + below(4000));
      rule.motion->hold = std::chrono::milliseconds(1 + below(4000));
      rule.motion->share = below(2) == 0 ? 0.1 : 0.2;
    }
    if (kind != 0 && kind != 4) {
      rule.presence.emplace();
      rule.presence->labels = {label(), label()};
      if (below(2) == 0) rule.presence->task = task();
      rule.presence->frames = static_cast<std::size_t>(1 + below(3));
      rule.presence->min_score = below(2) == 0 ? 0.5 : 0.0;
      rule.presence->hold = std::chrono::milliseconds(1 + below(4000));
    }
    if (kind == 0 || kind == 3) {
      const int from = below(kMinutesPerDay);
      rule.clock = ClockWindow{from, (from + 1 + below(kMinutesPerDay - 1)) % kMinutesPerDay};
    }
    if (below(3) != 0) rule.set.fps = Fps(1 + below(30));
    if (below(2) == 0 || !rule.set.fps) rule.set.weight = 1.0 + below(5);
    return rule;
  }

 private:
  std::mt19937 engine_;
};

TEST(EngineOracle, IncrementalEqualsWorkedOutFromTheHistory) {
  int held = 0;
  int frozen = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    Draw draw(seed);
    std::vector<Rule> rules;
    for (int i = 0; i < 4; ++i) rules.push_back(draw.rule(i));
    Engine engine(rules);
    History history;
    Moment at{seconds_in(0), draw.below(kMinutesPerWeek)};
    for (int step = 0; step < 100; ++step) {
      at.now += std::chrono::milliseconds(draw.below(seed % 2 == 0 ? 400 : 3000));
      if (draw.below(10) == 0) at.minute_of_week = draw.below(kMinutesPerWeek);  // the wall clock jumps
      for (int i = draw.below(3); i > 0; --i) {
        std::vector<results::SeenObject> objects;
        for (int n = draw.below(3); n > 0; --n) {
          objects.push_back({draw.label(), 0, draw.below(4) == 0 ? 0.4 : 0.9, {}, 0});
        }
        const std::string task = draw.task();
        engine.see(task, objects, at.now);
        history.results.push_back({at.now, task, objects});
      }
      for (int i = draw.below(3); i > 0; --i) {
        const std::string task = draw.task();
        const double share = draw.below(2) == 0 ? 0.0 : 0.15 * (1 + draw.below(2));
        engine.look(task, {{MotionMeasure{}, share}}, at.now);
        history.looks.push_back({at.now, task, share});
      }
      for (const Turn& turn : engine.step(at)) frozen += turn.frozen ? 1 : 0;
      history.moments.push_back(at);
      ASSERT_EQ(engine.wanted(), wanted_after(history, rules)) << "seed " << seed << ", step " << step;
      held += engine.wanted().empty() ? 0 : 1;
    }
  }
  EXPECT_GT(held, 1000);
  EXPECT_GT(frozen, 0) << "the oracle has seen freezes";
}

}  // namespace
}  // namespace saccade::rules
