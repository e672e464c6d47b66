// Which rules hold, and what is wanted therefore. Results and time in, changes out:
//   see() for every result, look() for every look at what moves; step() whenever time has passed, at the
//   latest at next(); then take_change(), whose overlay the owner tries to bring into force and answers by
//   accepted() or refused().
// A rule holds for each of its tasks apart, while its conditions are met. One that turns too often is frozen
// in its state (turn_limit.hpp). What is wanted is the settings of the rules that hold, in the order of the
// rules: a later one wins. Changes are given out at most once in kLeastBetween, with all that came together
// since; a refused one is given out again after as long, or when something else is wanted.
// Pure: no clock. `now` never steps back; the minute of the week may jump, which moves clock conditions
// alone. Threads: plain value, one thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "results/presence.hpp"
#include "rules/motion.hpp"
#include "rules/overlay.hpp"
#include "rules/rule.hpp"
#include "rules/turn_limit.hpp"

namespace saccade::rules {

struct Moment {
  TimePoint now{};
  int minute_of_week = 0;  // of local time; 0 on Monday at 00:00
};

// What moves in a task's view, measured in one of the ways that its rules ask for.
struct MotionShare {
  MotionMeasure measure;
  double share = 0.0;  // of what counts
};

// A rule began or ended to hold for a task, or was frozen.
struct Turn {
  std::string rule;
  std::string task;
  bool active = false;
  bool frozen = false;  // by turning too often: it stays so for TurnLimit::kFrozen
  std::string reason;   // its conditions, in words
  bool operator==(const Turn&) const = default;
};

struct RuleState {
  std::string rule;
  std::string task;
  std::string reason;
  bool active = false;
  bool frozen = false;
  std::optional<TimePoint> since = {};  // of the last turn; absent: none yet
  std::int64_t turns = 0;
};

class Engine {
 public:
  static constexpr Duration kLeastBetween = std::chrono::seconds(1);

  explicit Engine(std::vector<Rule> rules = {}) { set_rules(std::move(rules)); }

  // Rules and tasks that were there before and are the same go on as they are. Returns the ends of those that
  // held and are no more.
  std::vector<Turn> set_rules(std::vector<Rule> rules);
  [[nodiscard]] const std::vector<Rule>& rules() const { return rules_; }
  // Whether a result of the task can make a rule hold.
  [[nodiscard]] bool watches(const std::string& task) const { return watchers_.contains(task); }

  // One result of a task, all its objects.
  void see(const std::string& task, const std::vector<results::SeenObject>& objects, TimePoint now);
  // The ways in which motion in the task's view is to be measured, different ones; empty: no rule asks.
  [[nodiscard]] std::vector<MotionMeasure> measures(const std::string& task) const;
  // One look at what moves in a task's view.
  void look(const std::string& task, const std::vector<MotionShare>& shares, TimePoint now);
  // What holds now; returns what turned, in the order of rules and tasks.
  std::vector<Turn> step(const Moment& at);
  // Of the last step.
  [[nodiscard]] const Overlay& wanted() const { return wanted_; }

  // What is to be brought into force now; absent: nothing, or not yet.
  [[nodiscard]] std::optional<Overlay> take_change(TimePoint now);
  void accepted();
  void refused(std::string reason);
  // Somebody else brought this into force; an answer to what was given out before does not count any more.
  void in_force(Overlay overlay) {
    in_force_ = std::move(overlay);
    asked_.reset();
  }
  // Why what is wanted is not in force; empty: it is, or is about to be.
  [[nodiscard]] const std::string& refusal() const { return refusal_; }

  // When step() and take_change() may have something to say although nothing was seen; absent: never. Clock
  // conditions are not foreseen: with them, ask at least once in kLeastBetween (has_clocks()).
  [[nodiscard]] std::optional<TimePoint> next() const;
  [[nodiscard]] bool has_clocks() const;
  [[nodiscard]] std::vector<RuleState> states(TimePoint now) const;

 private:
  struct Instance {  // of a rule, for one of its tasks
    std::size_t rule = 0;
    std::string task;
    std::optional<results::Presence> presence;
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
  std::map<std::string, std::vector<std::size_t>> watchers_;  // by task: the instances that its results move
  std::map<std::string, std::vector<std::size_t>> lookers_;   // by task: those that motion in it moves
  std::vector<results::SeenObject> scratch_;

  Overlay wanted_;
  Overlay in_force_;
  std::optional<Overlay> asked_;  // given out last
  std::optional<TimePoint> asked_at_;
  std::string refusal_;
};

}  // namespace saccade::rules
