#include "app/config_state.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "app/config_source.hpp"

namespace saccade::app {
namespace {

using profiles::in_quotes;
using profiles::JsonAt;
using profiles::JsonReport;
using profiles::ObjectReader;

// What null resets a key to, or nothing where null is refused.
template <class T>
std::optional<T> reset_to(Nulls nulls, const T& default_value) {
  return nulls == Nulls::reset ? std::optional(default_value) : std::nullopt;
}

void read_limits(const JsonAt& at, scheduler::Limits& limits, JsonReport& report) {
  ObjectReader reader(at, report);
  reader.quantity("peak_power_watts", limits.peak_power, profiles::kPositive);
  reader.quantity("energy_joules_per_second", limits.energy_per_second, profiles::kPositive);
  reader.quantity("memory_bytes", limits.memory, profiles::kPositive);
}

void patch_tasks(const JsonAt& at, double fps_scale, scheduler::Snapshot& state, JsonReport& report) {
  for (const auto& [id, patch] : profiles::read_members(at, report)) {
    const auto task = std::find_if(state.tasks.begin(), state.tasks.end(),
                                   [&, &wanted = id](const auto& t) { return t.id.str() == wanted; });
    if (task == state.tasks.end()) {
      std::vector<std::string> ids;
      for (const scheduler::Task& known : state.tasks) ids.push_back(known.id.str());
      const std::string meant = profiles::nearest(id, ids);
      report.add(patch, "there is no task " + in_quotes(id),
                 meant.empty() ? "a patch names tasks by their `id`" : "did you mean `" + meant + "`?");
      continue;
    }
    if (patch->kind == profiles::JsonValue::Kind::null) {
      report.add(patch, "a task cannot be removed while a run goes on", "set its `fps` to 0");
      continue;
    }
    ObjectReader reader(patch, report);
    read_task_settings(reader, fps_scale, Nulls::reset, *task);
    for (const char* fixed : {"id", "profiles", "source", "regions"}) {
      if (const auto value = reader.find(fixed)) {
        report.add(*value, "`" + std::string(fixed) + "` cannot change while a run goes on",
                   "declare a second task and switch between the two with `fps`");
      }
    }
  }
}

}  // namespace

void apply_patch(const JsonAt& at, double fps_scale, scheduler::Snapshot& state, JsonReport& report) {
  ObjectReader reader(at, report);
  if (const auto tasks = reader.find("tasks")) patch_tasks(*tasks, fps_scale, state, report);
  read_device_settings(reader, Nulls::reset, state);
}

void read_task_settings(ObjectReader& reader, double fps_scale, Nulls nulls, scheduler::Task& task) {
  const scheduler::Task defaults;
  constexpr double kMaxFps = 10'000.0;
  constexpr double kLeastFps = 1e-5;
  constexpr int kMaxPriority = 1000;
  if (const auto fps = reader.find("fps")) {
    const auto value = profiles::read_number(*fps, {0.0, false, kMaxFps}, reader.report());
    if (value) task.demand = Fps(*value * fps_scale);
    if (value && *value > 0.0 && task.demand.value() < kLeastFps) {
      reader.report().add(*fps, "less than a frame in a day", "0 switches the task off");
    }
  }
  reader.number("weight", task.weight, profiles::kPositive, reset_to(nulls, defaults.weight));
  reader.integer("priority", task.priority, -kMaxPriority, kMaxPriority, reset_to(nulls, defaults.priority));
  reader.number("min_accuracy", task.min_accuracy, profiles::kAccuracy);
  reader.number("min_relative_accuracy", task.min_relative_accuracy, profiles::kAccuracy);
  reader.quantity("max_frame_time_seconds", task.max_frame_time, profiles::kPositive);
  reader.number("min_time_share", task.min_time_share, profiles::kNotNegative,
                reset_to(nulls, defaults.min_time_share));
  reader.quantity("min_fps", task.min_fps, profiles::kNotNegative, reset_to(nulls, defaults.min_fps));
  reader.quantity("max_power_watts", task.max_power, profiles::kPositive);
  reader.quantity("max_memory_bytes", task.max_memory, profiles::kPositive);
}

void read_device_settings(ObjectReader& reader, Nulls nulls, scheduler::Snapshot& state) {
  using pareto::Selection;
  using scheduler::Degrade;
  using scheduler::Objective;
  const scheduler::Snapshot defaults;
  if (const auto limits = reader.find("limits")) {
    if (limits->value->kind == profiles::JsonValue::Kind::null && nulls == Nulls::reset) {
      state.limits = {};
    } else {
      read_limits(*limits, state.limits, reader.report());
    }
  }
  reader.choice("objective", state.objective,
                {Objective::max_accuracy, Objective::min_energy, Objective::min_memory},
                reset_to(nulls, defaults.objective));
  reader.choice("pareto", state.selection,
                {Selection::active, Selection::time, Selection::memory, Selection::time_memory,
                 Selection::energy, Selection::time_energy, Selection::none},
                reset_to(nulls, defaults.selection));
  reader.choice("degrade", state.degrade, {Degrade::exact, Degrade::step, Degrade::refuse},
                reset_to(nulls, defaults.degrade));
}

std::vector<runtime::TimelineState> read_timeline(const JsonAt* at, const scheduler::Snapshot& base,
                                                  double fps_scale, JsonReport& report) {
  std::vector<runtime::TimelineState> states = {{Duration(0), base}};
  if (at == nullptr) return states;
  const std::vector<JsonAt> entries = profiles::read_list(*at, report);
  constexpr std::size_t kMostTaskStates = 100'000;  // every entry holds the state of every task
  if (entries.size() * std::max<std::size_t>(base.tasks.size(), 1) > kMostTaskStates) {
    report.add(*at,
               std::to_string(entries.size()) + " entries for " + std::to_string(base.tasks.size()) +
                   " tasks are more than 100,000 states of tasks",
               "write fewer entries, or split the tasks up");
    return states;
  }
  double previous = 0.0;
  for (const JsonAt& entry : entries) {
    constexpr double kLongestSeconds = 1e8;  // about three years; integer nanoseconds hold more
    ObjectReader reader(entry, report);
    runtime::TimelineState state{Duration(0), states.back().snapshot};
    if (const auto seconds = reader.require("at_seconds")) {
      const auto value = profiles::read_number(*seconds, {0.0, true, kLongestSeconds}, report);
      if (value && *value <= previous) {
        report.add(*seconds,
                   "the timeline must ascend; the entry before is at " + profiles::to_text(previous) + " s",
                   "sort the entries by `at_seconds` and join those of the same time");
      }
      if (value) {
        previous = std::max(previous, *value);
        state.at = to_duration(Seconds(*value));
      }
    }
    if (const auto patch = reader.require("patch")) apply_patch(*patch, fps_scale, state.snapshot, report);
    states.push_back(std::move(state));
  }
  return states;
}

}  // namespace saccade::app
