#include "rules/overlay.hpp"

#include <algorithm>

namespace saccade::rules {
namespace {

template <class T>
void replace(const std::optional<T>& given, std::optional<T>& over) {
  if (given) over = given;
}

template <class T>
void put_into(const std::optional<T>& given, T& setting) {
  if (given) setting = *given;
}

template <class T>
void raise(const std::optional<T>& given, T& setting) {
  if (given) setting = std::max(setting, *given);
}

template <class T>
void raise(const std::optional<T>& given, std::optional<T>& setting) {
  if (given) setting = setting ? std::max(*setting, *given) : *given;
}

template <class T>
void lower(const std::optional<T>& given, std::optional<T>& setting) {
  if (given) setting = setting ? std::min(*setting, *given) : *given;
}

void apply_to(const Settings& settings, scheduler::Task& task) {
  put_into(settings.fps, task.demand);
  put_into(settings.weight, task.weight);
  put_into(settings.priority, task.priority);
  put_into(settings.min_fps, task.min_fps);
  replace(settings.min_accuracy, task.min_accuracy);
  replace(settings.min_relative_accuracy, task.min_relative_accuracy);
  replace(settings.max_frame_time, task.max_frame_time);
  replace(settings.max_latency, task.max_latency);
}

void demand_most(const Settings& settings, scheduler::Task& task) {
  raise(settings.fps, task.demand);
  raise(settings.weight, task.weight);
  raise(settings.priority, task.priority);
  raise(settings.min_fps, task.min_fps);
  raise(settings.min_accuracy, task.min_accuracy);
  raise(settings.min_relative_accuracy, task.min_relative_accuracy);
  lower(settings.max_frame_time, task.max_frame_time);
  lower(settings.max_latency, task.max_latency);
}

}  // namespace

void lay(const Settings& settings, Settings& over) {
  replace(settings.fps, over.fps);
  replace(settings.weight, over.weight);
  replace(settings.priority, over.priority);
  replace(settings.min_fps, over.min_fps);
  replace(settings.min_accuracy, over.min_accuracy);
  replace(settings.min_relative_accuracy, over.min_relative_accuracy);
  replace(settings.max_frame_time, over.max_frame_time);
  replace(settings.max_latency, over.max_latency);
}

void lay(const std::string& task, const Settings& settings, Overlay& over) { lay(settings, over[task]); }

Overlay overlay_of(const std::vector<Rule>& rules) {
  Overlay overlay;
  for (const Rule& rule : rules) {
    for (const std::string& task : rule.tasks) lay(task, rule.set, overlay);
  }
  return overlay;
}

Overlay overlay_of(const std::vector<Rule>& rules, const std::vector<Rule>& before,
                   const std::vector<Holding>& holding) {
  Overlay overlay;
  for (const Rule& rule : rules) {
    if (std::find(before.begin(), before.end(), rule) == before.end()) continue;
    for (const std::string& task : rule.tasks) {
      const bool holds = std::any_of(holding.begin(), holding.end(), [&](const Holding& each) {
        return each.rule == rule.id && each.task == task;
      });
      if (holds) lay(task, rule.set, overlay);
    }
  }
  return overlay;
}

void lay_over(const Overlay& overlay, scheduler::Snapshot& state) {
  for (scheduler::Task& task : state.tasks) {
    const auto found = overlay.find(task.id.str());
    if (found != overlay.end()) apply_to(found->second, task);
  }
}

scheduler::Snapshot worst_case(const std::vector<Rule>& rules, scheduler::Snapshot state) {
  for (const Rule& rule : rules) {
    for (scheduler::Task& task : state.tasks) {
      const bool changed = std::find(rule.tasks.begin(), rule.tasks.end(), task.id.str()) != rule.tasks.end();
      if (changed) demand_most(rule.set, task);
    }
  }
  return state;
}

}  // namespace saccade::rules
