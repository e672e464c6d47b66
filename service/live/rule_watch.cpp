#include "service/live/rule_watch.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "service/live/seen_objects.hpp"

namespace saccade::service {

bool RuleWatch::see(const runtime::SeenFrame& frame) {
  const Lock lock(mutex_);
  const auto found = tasks_.find(frame.task.id.str());
  if (found == tasks_.end()) return false;
  Task& task = found->second;
  if (task.profiles != frame.task.profiles) learn_labels(task, frame.task.profiles);
  const vision::Objects* objects = &frame.objects;
  if (!frame.classes.empty()) {
    take_objects(frame, classified_);
    objects = &classified_;
  }
  const TimePoint now = clock_.now();  // with the lock, so that it never steps back
  bool begins = false;
  for (Watcher& watcher : task.watchers) {
    if (watcher.of.presence.see(shown(watcher, *objects), now)) begins = true;
  }
  return begins;
}

std::vector<rules::Turn> RuleWatch::set_rules(rules::Engine& engine, std::vector<rules::Rule> rules) {
  const Lock lock(mutex_);
  note_all(engine);
  std::vector<rules::Turn> turns = engine.set_rules(std::move(rules));
  tasks_.clear();
  for (rules::Engine::Watcher& watcher : engine.watchers()) {
    std::vector<Watcher>& watchers = tasks_[watcher.task].watchers;
    watchers.push_back({std::move(watcher), {}});
  }
  return turns;
}

TimePoint RuleWatch::note_in(rules::Engine& engine) const {
  const Lock lock(mutex_);
  note_all(engine);
  return clock_.now();
}

void RuleWatch::note_all(rules::Engine& engine) const {
  for (const auto& [name, task] : tasks_) {
    for (const Watcher& watcher : task.watchers) engine.note(watcher.of.number, watcher.of.presence);
  }
}

void RuleWatch::learn_labels(Task& task, const std::shared_ptr<const profiles::ProfileSet>& profiles) {
  task.profiles = profiles;
  for (Watcher& watcher : task.watchers) {
    const std::vector<std::string>& wanted = watcher.of.condition.labels;
    watcher.counts.clear();
    for (const std::string& label : profiles->labels) {
      const bool counts = wanted.empty() || std::find(wanted.begin(), wanted.end(), label) != wanted.end();
      watcher.counts.push_back(counts ? 1 : 0);
    }
  }
}

// An object whose label has no name is never watched for.
bool RuleWatch::shown(const Watcher& watcher, const vision::Objects& objects) {
  return std::any_of(objects.begin(), objects.end(), [&](const vision::Object& object) {
    const auto label = static_cast<std::size_t>(object.label);
    return label < watcher.counts.size() && watcher.counts[label] != 0 &&
           static_cast<double>(object.score) >= watcher.of.condition.min_score;
  });
}

}  // namespace saccade::service
