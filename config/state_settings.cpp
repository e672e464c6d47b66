#include "config/state_settings.hpp"

#include <optional>

namespace saccade::config {
namespace {

using text::JsonAt;
using text::JsonReport;
using text::ObjectReader;

constexpr const char* kHostMemory = "host";

void read_memories(const JsonAt& at, scheduler::Limits& limits, JsonReport& report) {
  ObjectReader reader(at, report);
  reader.accept_all();
  if (!at->is_object()) return;
  for (const text::JsonMember& member : at->members) {
    const JsonAt limit = at.member(member.key, member.value);
    if (member.key == kHostMemory) {
      report.add(limit, "the limit of the host's memory is not one of these",
                 "write it as `limits.memory_bytes`");
      continue;
    }
    std::optional<Bytes> bytes;
    reader.quantity(member.key, bytes, text::kPositive);
    if (bytes) limits.memories[member.key] = *bytes;
  }
}

}  // namespace

void read_memory(ObjectReader& reader, scheduler::Processor& processor) {
  if (const auto memory = reader.find("memory")) {
    const std::string name = text::read_id(*memory, reader.report()).value_or("");
    processor.memory = name == kHostMemory ? "" : name;
  }
  reader.quantity("context_memory_bytes", processor.context, text::kNotNegative);
  reader.quantity("context_device_memory_bytes", processor.device_context, text::kNotNegative);
}

void read_limits(const JsonAt& at, scheduler::Limits& limits, JsonReport& report) {
  ObjectReader reader(at, report);
  reader.quantity("peak_power_watts", limits.peak_power, text::kPositive);
  reader.quantity("energy_joules_per_second", limits.energy_per_second, text::kPositive);
  reader.quantity("memory_bytes", limits.memory, text::kPositive);
  if (const auto memories = reader.find_given("memories")) read_memories(*memories, limits, report);
}

void read_task_settings(ObjectReader& reader, double fps_scale, scheduler::Task& task) {
  constexpr double kMaxFps = 10'000.0;
  constexpr double kLeastFps = 1e-5;
  constexpr int kMaxPriority = 1000;
  if (const auto fps = reader.find("fps")) {
    const auto value = text::read_number(*fps, {0.0, false, kMaxFps}, reader.report());
    if (value) task.demand = Fps(*value * fps_scale);
    if (value && *value > 0.0 && task.demand.value() < kLeastFps) {
      reader.report().add(*fps, "less than a frame in a day", "0 switches the task off");
    }
  }
  reader.number("weight", task.weight, text::kPositive);
  reader.integer("priority", task.priority, -kMaxPriority, kMaxPriority);
  reader.number("min_accuracy", task.min_accuracy, text::kAccuracy);
  reader.number("min_relative_accuracy", task.min_relative_accuracy, text::kAccuracy);
  reader.quantity("max_frame_time_seconds", task.max_frame_time, text::kPositive);
  reader.quantity("max_latency_seconds", task.max_latency, text::kPositive);
  reader.number("min_time_share", task.min_time_share, text::kNotNegative);
  reader.quantity("min_fps", task.min_fps, text::kNotNegative);
  reader.quantity("max_power_watts", task.max_power, text::kPositive);
  reader.quantity("max_memory_bytes", task.max_memory, text::kPositive);
}

void read_device_settings(ObjectReader& reader, scheduler::Snapshot& state) {
  using pareto::Selection;
  using scheduler::Degrade;
  using scheduler::Objective;
  if (const auto limits = reader.find("limits")) read_limits(*limits, state.limits, reader.report());
  reader.choice("objective", state.objective,
                {Objective::max_accuracy, Objective::min_energy, Objective::min_memory});
  reader.choice("pareto", state.selection,
                {Selection::active, Selection::time, Selection::memory, Selection::time_memory,
                 Selection::energy, Selection::time_energy, Selection::none});
  reader.choice("degrade", state.degrade, {Degrade::exact, Degrade::step, Degrade::refuse});
}

}  // namespace saccade::config
