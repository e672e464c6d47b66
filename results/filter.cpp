#include "results/filter.hpp"

#include <algorithm>
#include <array>

namespace saccade::results {
namespace {

bool lists(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

const char* to_string(When when) {
  return std::array{"every", "objects", "change"}.at(static_cast<std::size_t>(when));
}

bool FilterRule::wants_task(const std::string& task) const { return lists(tasks, task); }
bool ObjectFilter::wants_label(const std::string& label) const { return lists(labels, label); }
bool ObjectFilter::passes(const SeenObject& object) const {
  return object.score >= min_score && wants_label(object.label);
}

bool Filter::wants_task(const std::string& task) const { return rule_.wants_task(task); }

void Filter::changed(const std::string& task) { tasks_[task].changed = true; }

bool Filter::passes(const std::string& task, std::size_t objects, TimePoint now) {
  State& state = tasks_[task];
  if (rule_.when == When::objects && objects == 0) return false;
  if (rule_.when == When::change && !state.changed) return false;
  if (state.next && now < *state.next) return false;
  if (rule_.max_per_second) state.next = now + to_duration(Seconds(1.0 / *rule_.max_per_second));
  state.changed = false;
  return true;
}

}  // namespace saccade::results
