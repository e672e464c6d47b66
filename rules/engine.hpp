// Which rules are active, and which settings follow. Results and time in, changes out:
//   see() for every result, look() for every motion sample; step() whenever time has passed, at the latest at
//   next(); then take_change(), whose overlay the owner tries to bring into force and answers by accepted()
//   or refused().
// A rule is active for each of its tasks separately, while its conditions are met. One that turns (starts or
// stops being active) too often is frozen in its state (turn_limit.hpp). The overlay is the settings of the
// active rules, in the order of the rules: a later one wins. Changes are returned at most once in
// kLeastBetween, with everything that changed since; a refused one is returned again after the same time, or
// when the overlay differs.
// Pure: no clock. `now` never steps back; the minute of the week may jump, which affects clock conditions
// only. Threads: plain value, one thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "results/result.hpp"
#include "rules/motion.hpp"
#include "rules/overlay.hpp"
#include "rules/rule.hpp"
#include "rules/single_presence.hpp"
#include "rules/turn_limit.hpp"

namespace saccade::rules {

struct Moment {
  TimePoint now{};
  int minute_of_week = 0;  // local time; 0 on Monday at 00:00
};

// The motion in a task's view, by one of the measures that its rules request.
struct MotionShare {
  MotionMeasure measure;
  double share = 0.0;  // moving share of the unmasked pixels
};

// A rule started or stopped being active for a task, or was frozen.
struct Turn {
  std::string rule;
  std::string task;
  bool active = false;
  bool frozen = false;  // because of too many turns; for TurnLimit::kFrozen
  std::string reason;   // its conditions, in words
  bool operator==(const Turn&) const = default;
};

struct RuleState {
  std::string rule;
  std::string task;
  std::string reason;
  bool active = false;
  bool frozen = false;
  std::optional<TimePoint> since = {};  // of the last turn; absent: never
  std::int64_t turns = 0;
};

class Engine {
 public:
  static constexpr Duration kLeastBetween = std::chrono::seconds(1);

  explicit Engine(std::vector<Rule> rules = {}) { set_rules(std::move(rules)); }

  // Unchanged rules and tasks keep their state. Returns the turns of rules that were active and no longer
  // exist.
  std::vector<Turn> set_rules(std::vector<Rule> rules);
  [[nodiscard]] const std::vector<Rule>& rules() const { return rules_; }
  // Whether a result of the task can activate a rule.
  [[nodiscard]] bool watches(const std::string& task) const { return watchers_.contains(task); }

  // One result of a task, with all its objects.
  void see(const std::string& task, const std::vector<results::SeenObject>& objects, TimePoint now);
  // For an owner that evaluates results itself, where they arise, in place of see(): what is watched for, and
  // what is known of it; and what has become of it.
  struct Watcher {
    std::size_t number = 0;  // until the next set_rules()
    std::string task;        // whose results count
    PresenceCondition condition;
    SinglePresence presence;
  };
  [[nodiscard]] std::vector<Watcher> watchers() const;
  void note(std::size_t watcher, const SinglePresence& presence) { instances_[watcher].presence = presence; }
  // The distinct measures of motion needed in the task's view; empty: no rule needs any.
  [[nodiscard]] std::vector<MotionMeasure> measures(const std::string& task) const;
  // One motion sample of a task's view.
  void look(const std::string& task, const std::vector<MotionShare>& shares, TimePoint now);
  // Updates which rules are active; returns the turns, in the order of rules and tasks.
  std::vector<Turn> step(const Moment& at);
  // The overlay of the last step.
  [[nodiscard]] const Overlay& wanted() const { return wanted_; }

  // The overlay to bring into force now; absent: none, or not yet.
  [[nodiscard]] std::optional<Overlay> take_change(TimePoint now);
  void accepted();
  void refused(std::string reason);
  // The owner brought this into force by other means; the answer to an earlier take_change() no longer
  // counts.
  void in_force(Overlay overlay) {
    in_force_ = std::move(overlay);
    asked_.reset();
  }
  // Why the overlay is not in force; empty: it is, or is about to be.
  [[nodiscard]] const std::string& refusal() const { return refusal_; }

  // When step() and take_change() may have something to return without further input; absent: never. Clock
  // conditions are not predicted: with them, call at least once in kLeastBetween (has_clocks()).
  [[nodiscard]] std::optional<TimePoint> next() const;
  [[nodiscard]] bool has_clocks() const;
  [[nodiscard]] std::vector<RuleState> states(TimePoint now) const;

 private:
  struct Instance {  // of a rule, for one of its tasks
    std::size_t rule = 0;
    std::string task;
    std::optional<SinglePresence> presence;
    std::optional<Motion> motion;
    bool active = false;
    std::optional<TimePoint> since;
    std::int64_t turns = 0;
    TurnLimit limit;
  };
  [[nodiscard]] bool holds(const Instance& instance, int minute_of_week) const;
  void index();

  std::vector<Rule> rules_;
  std::vector<Instance> instances_;                           // rules in their order, tasks in theirs
  std::map<std::string, std::vector<std::size_t>> watchers_;  // by task: instances that its results affect
  std::map<std::string, std::vector<std::size_t>> lookers_;   // by task: those that motion in it affects

  Overlay wanted_;
  Overlay in_force_;
  std::optional<Overlay> asked_;  // last returned by take_change()
  std::optional<TimePoint> asked_at_;
  std::string refusal_;
};

}  // namespace saccade::rules
