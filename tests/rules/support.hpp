// Rules, objects and moments as the tests of this room write them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "rules/engine.hpp"

namespace saccade::rules {

inline TimePoint seconds_in(double seconds) { return TimePoint(to_duration(Seconds(seconds))); }

inline std::vector<results::SeenObject> objects_of(const std::vector<std::string>& labels,
                                                   double score = 0.9) {
  std::vector<results::SeenObject> objects;
  for (const std::string& label : labels) objects.push_back({label, 0, score, {}, 0});
  return objects;
}

inline Settings fps_of(double fps) {
  Settings settings;
  settings.fps = Fps(fps);
  return settings;
}

inline Rule presence_rule(std::string id, std::vector<std::string> tasks, std::vector<std::string> labels,
                          Settings set) {
  Rule rule;
  rule.id = std::move(id);
  rule.tasks = std::move(tasks);
  rule.presence.emplace();
  rule.presence->labels = std::move(labels);
  rule.set = set;
  return rule;
}

// Motion in the view of the rule's task, or stillness for so long.
inline Rule motion_rule(std::string id, std::vector<std::string> tasks, std::optional<Duration> still,
                        Settings set) {
  Rule rule;
  rule.id = std::move(id);
  rule.tasks = std::move(tasks);
  rule.motion.emplace();
  rule.motion->still = still;
  rule.set = set;
  return rule;
}

inline Rule clock_rule(std::string id, std::vector<std::string> tasks, ClockWindow window, Settings set) {
  Rule rule;
  rule.id = std::move(id);
  rule.tasks = std::move(tasks);
  rule.clock = window;
  rule.set = set;
  return rule;
}

// Steps, and answers a change by yes; true when there was one.
inline bool settle(Engine& engine, const Moment& at) {
  (void)engine.step(at);
  if (!engine.take_change(at.now)) return false;
  engine.accepted();
  return true;
}

}  // namespace saccade::rules
