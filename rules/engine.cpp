#include "rules/engine.hpp"

#include <algorithm>
#include <utility>

namespace saccade::rules {

namespace {

const std::string& seen_in(const std::string& named, const std::string& changed) {
  return named.empty() ? changed : named;
}

}  // namespace

std::vector<Turn> Engine::set_rules(std::vector<Rule> rules) {
  std::vector<Instance> before = std::exchange(instances_, {});
  const std::vector<Rule> known = std::exchange(rules_, std::move(rules));
  for (std::size_t r = 0; r < rules_.size(); ++r) {
    for (const std::string& task : rules_[r].tasks) {
      const auto same = std::find_if(before.begin(), before.end(), [&](const Instance& instance) {
        return instance.task == task && known[instance.rule] == rules_[r];
      });
      if (same != before.end()) {
        instances_.push_back(std::move(*same));
        before.erase(same);
        instances_.back().rule = r;
        continue;
      }
      Instance fresh;
      fresh.rule = r;
      fresh.task = task;
      if (const auto& presence = rules_[r].presence) fresh.presence.emplace(presence->frames, presence->hold);
      if (const auto& motion = rules_[r].motion) fresh.motion.emplace(motion->hold, motion->still);
      instances_.push_back(std::move(fresh));
    }
  }
  index();
  std::vector<Turn> ended;
  for (const Instance& gone : before) {
    if (gone.active)
      ended.push_back({known[gone.rule].id, gone.task, false, false, "it was changed or removed"});
  }
  return ended;
}

void Engine::index() {
  watchers_.clear();
  lookers_.clear();
  for (std::size_t i = 0; i < instances_.size(); ++i) {
    const Rule& rule = rules_[instances_[i].rule];
    const std::string& task = instances_[i].task;
    if (rule.presence) watchers_[seen_in(rule.presence->task, task)].push_back(i);
    if (rule.motion) lookers_[seen_in(rule.motion->task, task)].push_back(i);
  }
}

void Engine::see(const std::string& task, const std::vector<results::SeenObject>& objects, TimePoint now) {
  const auto watchers = watchers_.find(task);
  if (watchers == watchers_.end()) return;
  for (const std::size_t i : watchers->second) {
    const PresenceCondition& wanted = *rules_[instances_[i].rule].presence;
    // The labels count together: a truck that is taken for a car in every other result is there.
    const bool shown = std::any_of(objects.begin(), objects.end(), [&](const results::SeenObject& object) {
      return object.score >= wanted.min_score &&
             (wanted.labels.empty() ||
              std::find(wanted.labels.begin(), wanted.labels.end(), object.label) != wanted.labels.end());
    });
    instances_[i].presence->see(shown, now);
  }
}

std::vector<Engine::Watcher> Engine::watchers() const {
  std::vector<Watcher> all;
  for (const auto& [task, numbers] : watchers_) {
    for (const std::size_t i : numbers)
      all.push_back({i, task, *rules_[instances_[i].rule].presence, *instances_[i].presence});
  }
  return all;
}

std::vector<MotionMeasure> Engine::measures(const std::string& task) const {
  std::vector<MotionMeasure> measures;
  const auto lookers = lookers_.find(task);
  if (lookers == lookers_.end()) return measures;
  for (const std::size_t i : lookers->second) {
    const MotionMeasure& measure = rules_[instances_[i].rule].motion->measure;
    if (std::find(measures.begin(), measures.end(), measure) == measures.end()) measures.push_back(measure);
  }
  return measures;
}

void Engine::look(const std::string& task, const std::vector<MotionShare>& shares, TimePoint now) {
  const auto lookers = lookers_.find(task);
  if (lookers == lookers_.end()) return;
  for (const std::size_t i : lookers->second) {
    const MotionCondition& wanted = *rules_[instances_[i].rule].motion;
    for (const MotionShare& each : shares) {
      if (each.measure == wanted.measure) instances_[i].motion->look(each.share > wanted.share, now);
    }
  }
}

bool Engine::holds(const Instance& instance, int minute_of_week) const {
  const Rule& rule = rules_[instance.rule];
  if (instance.presence && !instance.presence->present()) return false;
  if (instance.motion && !instance.motion->met()) return false;
  return !rule.clock || covers(*rule.clock, minute_of_week);
}

std::vector<Turn> Engine::step(const Moment& at) {
  std::vector<Turn> turns;
  wanted_.clear();
  for (Instance& instance : instances_) {
    if (instance.presence) instance.presence->pass(at.now);
    if (instance.motion) instance.motion->pass(at.now);
    instance.limit.thaw(at.now);
    const Rule& rule = rules_[instance.rule];
    const bool turned =
        holds(instance, at.minute_of_week) != instance.active && !instance.limit.frozen(at.now);
    if (turned) {
      instance.active = !instance.active;
      instance.since = at.now;
      ++instance.turns;
      const bool frozen = instance.limit.turn(at.now);
      turns.push_back({rule.id, instance.task, instance.active, frozen, conditions_of(rule, instance.task)});
    }
    if (instance.active) lay(instance.task, rule.set, wanted_);
  }
  return turns;
}

std::optional<Overlay> Engine::take_change(TimePoint now) {
  if (wanted_ == in_force_) {
    refusal_.clear();
    return std::nullopt;
  }
  if (asked_at_ && now - *asked_at_ < kLeastBetween) return std::nullopt;
  asked_ = wanted_;
  asked_at_ = now;
  return asked_;
}

void Engine::accepted() {
  if (asked_) in_force_ = *std::exchange(asked_, std::nullopt);
  refusal_.clear();
}

void Engine::refused(std::string reason) {
  asked_.reset();
  refusal_ = std::move(reason);
}

std::optional<TimePoint> Engine::next() const {
  std::optional<TimePoint> next;
  const auto sooner = [&next](const std::optional<TimePoint>& at) {
    if (at && (!next || *at < *next)) next = at;
  };
  for (const Instance& instance : instances_) {
    if (instance.presence) sooner(instance.presence->next_end());
    if (instance.motion) sooner(instance.motion->next_turn());
    sooner(instance.limit.frozen_until());
  }
  if (wanted_ != in_force_) sooner(asked_at_ ? *asked_at_ + kLeastBetween : TimePoint{});
  return next;
}

bool Engine::has_clocks() const {
  return std::any_of(rules_.begin(), rules_.end(), [](const Rule& rule) { return rule.clock.has_value(); });
}

std::vector<RuleState> Engine::states(TimePoint now) const {
  std::vector<RuleState> states;
  for (const Instance& instance : instances_) {
    const Rule& rule = rules_[instance.rule];
    RuleState state;
    state.rule = rule.id;
    state.task = instance.task;
    state.reason = conditions_of(rule, instance.task);
    state.active = instance.active;
    state.frozen = instance.limit.frozen(now);
    state.since = instance.since;
    state.turns = instance.turns;
    states.push_back(std::move(state));
  }
  return states;
}

}  // namespace saccade::rules
