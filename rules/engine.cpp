#include "rules/engine.hpp"

#include <algorithm>
#include <utility>

namespace saccade::rules {

void Engine::set_rules(std::vector<Rule> rules) {
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
      if (const auto& presence = rules_[r].presence)
        fresh.presence.emplace(results::PresenceRule{presence->frames, presence->hold, presence->min_score});
      instances_.push_back(std::move(fresh));
    }
  }
  index();
}

void Engine::index() {
  watchers_.clear();
  for (std::size_t i = 0; i < instances_.size(); ++i) {
    const auto& presence = rules_[instances_[i].rule].presence;
    if (!presence) continue;
    watchers_[presence->task.empty() ? instances_[i].task : presence->task].push_back(i);
  }
}

void Engine::see(const std::string& task, const std::vector<results::SeenObject>& objects, TimePoint now) {
  const auto watchers = watchers_.find(task);
  if (watchers == watchers_.end()) return;
  for (const std::size_t i : watchers->second) {
    const std::vector<std::string>& labels = rules_[instances_[i].rule].presence->labels;
    if (labels.empty()) {
      instances_[i].presence->see(objects, now);
      continue;
    }
    scratch_.clear();
    for (const results::SeenObject& object : objects) {
      if (std::find(labels.begin(), labels.end(), object.label) != labels.end()) scratch_.push_back(object);
    }
    instances_[i].presence->see(scratch_, now);
  }
}

bool Engine::holds(const Instance& instance, int minute_of_week) const {
  const Rule& rule = rules_[instance.rule];
  if (instance.presence && !instance.presence->any()) return false;
  return !rule.clock || covers(*rule.clock, minute_of_week);
}

std::vector<Turn> Engine::step(const Moment& at) {
  std::vector<Turn> turns;
  wanted_.clear();
  for (Instance& instance : instances_) {
    if (instance.presence) instance.presence->pass(at.now);
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
