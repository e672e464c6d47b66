#include "config/timeline.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "config/document_patch.hpp"
#include "config/processors_config.hpp"
#include "config/state_settings.hpp"
#include "text/object_reader.hpp"

namespace saccade::config {
namespace {

using text::JsonAt;
using text::JsonReport;
using text::JsonValue;
using text::ObjectReader;

JsonValue without_timeline(const JsonValue& document) {
  JsonValue rest;
  rest.kind = JsonValue::Kind::object;
  for (const text::JsonMember& member : document.members) {
    if (member.key != "timeline") rest.members.push_back(member);
  }
  return rest;
}

class StateReader {
 public:
  StateReader(const JsonValue& document, const runtime::TimelineState& base, double fps_scale,
              JsonReport& report)
      : document_(document),
        report_(report),
        fps_scale_(fps_scale),
        merged_(without_timeline(document)),
        state_(base.snapshot),
        slowdowns_(base.slowdowns) {}

  // Into the state: what it is once the patch has been applied.
  void apply(const JsonAt& patch, runtime::TimelineState& state) {
    read(patch);
    state.snapshot = state_;
    state.slowdowns = slowdowns_;
  }

 private:
  void read(const JsonAt& patch) {
    check_patch(patch, document_, report_);
    if (!patch.value->is_object()) return;
    check_keys(patch);
    apply_patch(*patch.value, merged_);
    JsonReport about_merged(report_.file(), [this](std::size_t, const std::string& pointer) {
      const JsonValue* given = value_at(document_, pointer);
      return given == nullptr ? std::string() : report_.where(given->line, pointer);
    });
    read_device(patch, about_merged);
    read_tasks(patch, about_merged);
    read_processors(patch, about_merged);
    for (Error& error : about_merged.errors()) {
      if (!error.where.empty()) report_.add_foreign(patch->line, {std::move(error)});
    }
  }

  void check_keys(const JsonAt& patch) {
    ObjectReader keys(patch, report_);
    for (const char* key : {"tasks", "processors", "limits", "objective", "pareto", "degrade"})
      keys.accept(key);
    check_processor_keys(patch);
    const JsonValue* tasks = patch->find("tasks");
    if (tasks == nullptr) return;
    for (const auto& [id, change] : tasks->members) {
      const JsonAt task = patch.member("tasks", *tasks).member(id, change);
      for (const char* fixed : {"profiles", "source", "regions"}) {
        const JsonValue* given = change.find(fixed);
        if (given == nullptr) continue;
        report_.add(task.member(fixed, *given), text::in_quotes(fixed) + " cannot change while a run goes on",
                    "declare a second task and switch between the two with `fps`");
      }
    }
  }

  // Of a processor nothing changes but how slow it is emulated to be.
  void check_processor_keys(const JsonAt& patch) {
    const JsonValue* processors = patch->find("processors");
    if (processors == nullptr) return;
    for (const auto& [name, change] : processors->members) {
      const JsonAt processor = patch.member("processors", *processors).member(name, change);
      for (const text::JsonMember& member : change.members) {
        if (member.key == "slowdown") continue;
        report_.add(processor.member(member.key, member.value),
                    text::in_quotes(member.key) + " cannot change while a run goes on",
                    "of a processor only `slowdown` can");
      }
    }
  }

  void read_device(const JsonAt& patch, JsonReport& report) {
    const scheduler::Snapshot defaults;
    state_.limits = defaults.limits;
    state_.objective = defaults.objective;
    state_.selection = defaults.selection;
    state_.degrade = defaults.degrade;
    ObjectReader reader({&merged_, patch.pointer}, report);
    read_device_settings(reader, state_);
    reader.accept_all();
  }

  void read_tasks(const JsonAt& patch, JsonReport& report) {
    const JsonValue* tasks = patch->find("tasks");
    if (tasks == nullptr) return;
    for (const auto& [id, change] : tasks->members) {
      const std::optional<std::size_t> position = task_position(merged_, id);
      if (!position || !change.is_object()) continue;
      scheduler::Task& task = state_.tasks.at(*position);
      scheduler::Task as_merged;
      as_merged.id = task.id;
      as_merged.profiles = task.profiles;
      as_merged.regions = task.regions;
      const std::string pointer = patch.member("tasks", *tasks).member(id, change).pointer;
      ObjectReader reader({&merged_.find("tasks")->items[*position], pointer}, report);
      if (change.find("fps") != nullptr) (void)reader.require("fps");
      read_task_settings(reader, fps_scale_, as_merged);
      for (const char* fixed : {"id", "profiles", "source", "regions"}) reader.accept(fixed);
      task = std::move(as_merged);
    }
  }

  void read_processors(const JsonAt& patch, JsonReport& report) {
    const JsonValue* processors = patch->find("processors");
    if (processors == nullptr) return;
    for (const auto& [name, change] : processors->members) {
      const std::optional<std::size_t> position = processor_position(merged_, name);
      if (!position || *position >= slowdowns_.size() || !change.is_object()) continue;
      const JsonValue& processor = merged_.find("processors")->items[*position];
      const JsonValue* provider = processor.find("provider");
      const std::string pointer = patch.member("processors", *processors).member(name, change).pointer;
      ObjectReader reader({&processor, pointer}, report);
      slowdowns_[*position] = read_slowdown(reader, provider == nullptr || provider->string == "cpu");
      reader.accept_all();
    }
  }

  const JsonValue& document_;
  JsonReport& report_;
  const double fps_scale_;
  JsonValue merged_;  // the document with all patches so far
  scheduler::Snapshot state_;
  std::vector<double> slowdowns_;
};

// The time of an entry, after the one before.
void read_time(ObjectReader& entry, double& previous, Duration& at) {
  constexpr double kLongestSeconds = 1e8;  // about three years; integer nanoseconds hold more
  const auto seconds = entry.require("at_seconds");
  if (!seconds) return;
  const auto value = text::read_number(*seconds, {0.0, true, kLongestSeconds}, entry.report());
  if (!value) return;
  if (*value <= previous) {
    entry.report().add(*seconds,
                       "the timeline must ascend; the entry before is at " + text::to_text(previous) + " s",
                       "sort the entries by `at_seconds` and join those of the same time");
  }
  previous = std::max(previous, *value);
  at = to_duration(Seconds(*value));
}

}  // namespace

std::vector<runtime::TimelineState> read_timeline(const JsonValue& document, const scheduler::Snapshot& base,
                                                  const std::vector<double>& slowdowns, double fps_scale,
                                                  JsonReport& report) {
  std::vector<runtime::TimelineState> states = {{Duration(0), base, slowdowns}};
  const JsonValue* timeline = document.find("timeline");
  if (timeline == nullptr) return states;
  const JsonAt at{timeline, "/timeline"};
  const std::vector<JsonAt> entries = text::read_list(at, report);
  if (entries.empty()) return states;
  constexpr std::size_t kMostTaskStates = 100'000;  // every entry holds the state of every task
  if (entries.size() * std::max<std::size_t>(base.tasks.size(), 1) > kMostTaskStates) {
    report.add(at,
               std::to_string(entries.size()) + " entries for " + std::to_string(base.tasks.size()) +
                   " tasks are more than 100,000 states of tasks",
               "write fewer entries, or split the tasks up");
    return states;
  }
  StateReader reader(document, states.front(), fps_scale, report);
  double previous = 0.0;
  for (const JsonAt& at_entry : entries) {
    ObjectReader entry(at_entry, report);
    runtime::TimelineState state = states.back();
    state.at = Duration(0);
    read_time(entry, previous, state.at);
    if (const auto patch = entry.require("patch")) reader.apply(*patch, state);
    states.push_back(std::move(state));
  }
  return states;
}

}  // namespace saccade::config
