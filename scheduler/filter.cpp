#include "scheduler/filter.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "ilp/choice_problem.hpp"
#include "scheduler/cost_table.hpp"
#include "scheduler/latency.hpp"
#include "scheduler/text.hpp"

namespace saccade::scheduler {
namespace {

constexpr std::array kFilters = {
    Filter::excluded,       Filter::processor,   Filter::min_accuracy, Filter::min_relative_accuracy,
    Filter::max_frame_time, Filter::max_latency, Filter::max_power,    Filter::max_memory,
    Filter::peak_power,
};

bool runs_here(const Snapshot& snapshot, const profiles::Variant& variant) {
  return std::all_of(variant.frame_time.begin(), variant.frame_time.end(), [&](const auto& entry) {
    return std::any_of(snapshot.processors.begin(), snapshot.processors.end(),
                       [&](const Processor& processor) { return processor.id == entry.first; });
  });
}

// True when the limit is set, the measure known and too high.
template <class Q>
bool exceeds(const std::optional<Q>& measure, const std::optional<Q>& limit) {
  return measure && limit && !ilp::holds(measure->value(), limit->value());
}

// One variant's figures as the filters read them: of a list of costs, or of a table.
struct ListedCost {
  const VariantCost& cost;
  [[nodiscard]] double accuracy() const { return cost.accuracy; }
  [[nodiscard]] double relative_accuracy() const { return cost.relative_accuracy; }
  [[nodiscard]] std::optional<Seconds> total_time() const { return cost.total_time(); }
  [[nodiscard]] Seconds longest_time() const { return scheduler::longest_time(cost); }
  [[nodiscard]] std::optional<Bytes> memory() const { return cost.memory; }
  [[nodiscard]] bool has_energy() const { return cost.energy.has_value(); }
  [[nodiscard]] const VariantCost& whole() const { return cost; }
};
struct TabledCost {
  const CostTable& costs;
  std::size_t variant;
  [[nodiscard]] double accuracy() const { return costs.accuracy(variant); }
  [[nodiscard]] double relative_accuracy() const { return costs.relative_accuracy(variant); }
  [[nodiscard]] std::optional<Seconds> total_time() const { return costs.total_time(variant); }
  [[nodiscard]] Seconds longest_time() const { return costs.longest_time(variant); }
  [[nodiscard]] std::optional<Bytes> memory() const {
    return costs.has_memory(variant) ? std::optional(costs.memory(variant)) : std::nullopt;
  }
  [[nodiscard]] bool has_energy() const { return costs.has_energy(variant); }
  [[nodiscard]] VariantCost whole() const { return costs.of(variant); }
};

bool limits_peak(const Snapshot& snapshot) {  // as a filter
  return snapshot.processors.size() == 1 && snapshot.limits.peak_power;
}

// Where it is limited.
template <class Cost>
std::optional<Seconds> limited_latency(const Task& task, std::size_t variant, const Cost& cost) {
  if (!task.max_latency) return std::nullopt;
  return frame_latency(task.profiles->variants[variant], *cost.total_time(), cost.longest_time(),
                       task.demand);
}

// False if removed_by() removes no variant that runs here. As it, of every field that is a filter.
bool has_filters(const Snapshot& snapshot, const Task& task) {
  return !task.excluded.empty() || task.min_accuracy || task.min_relative_accuracy || task.max_frame_time ||
         task.max_latency || task.max_power || task.max_memory || limits_peak(snapshot);
}

template <class Cost>
std::optional<Filter> removed_by(const Snapshot& snapshot, const Task& task, std::size_t variant,
                                 const Cost& cost) {
  if (!task.excluded.empty() && task.excluded[variant]) return Filter::excluded;
  if (!runs_here(snapshot, task.profiles->variants[variant])) return Filter::processor;
  if (task.min_accuracy && !ilp::holds(*task.min_accuracy, cost.accuracy())) return Filter::min_accuracy;
  if (task.min_relative_accuracy && !ilp::holds(*task.min_relative_accuracy, cost.relative_accuracy())) {
    return Filter::min_relative_accuracy;
  }
  if (exceeds(cost.total_time(), task.max_frame_time)) return Filter::max_frame_time;
  if (exceeds(limited_latency(task, variant, cost), task.max_latency)) return Filter::max_latency;
  std::optional<Watts> power;
  if (task.max_power || limits_peak(snapshot)) power = cost.whole().power;
  if (exceeds(power, task.max_power)) return Filter::max_power;
  if (exceeds(cost.memory(), task.max_memory)) return Filter::max_memory;
  if (limits_peak(snapshot) && power &&
      !ilp::holds(snapshot.idle_power.value() + power->value(), snapshot.limits.peak_power->value())) {
    return Filter::peak_power;
  }
  return std::nullopt;
}

// What a variant of this task must have measured, and who asks for it.
class Needs {
 public:
  Needs(const Snapshot& snapshot, const Task& task) : task_(task) {
    const Limits& limits = snapshot.limits;
    if (snapshot.objective == Objective::min_energy) add(Measure::energy, "/objective");
    if (limits.energy_per_second) add(Measure::energy, "/limits/energy_joules_per_second");
    if (snapshot.objective == Objective::min_memory) add(Measure::memory, "/objective");
    if (limits.memory) add(Measure::memory, "/limits/memory_bytes");
    if (!limits.memories.empty()) add_memories(snapshot);
    if (task.max_memory) needs_.push_back({Measure::memory, "/max_memory_bytes", true});
    if (task.max_power) needs_.push_back({Measure::power, "/max_power_watts", true});
    if (limits.peak_power) {
      add(snapshot.processors.size() == 1 ? Measure::power : Measure::each_power, "/limits/peak_power_watts");
    }
  }

  // True only when nothing is missing of any variant.
  [[nodiscard]] bool met_by_all(const CostTable& costs) const {
    return std::all_of(needs_.begin(), needs_.end(), [&](const Need& need) {
      return (need.measure == Measure::energy && costs.all_have_energy()) ||
             (need.measure == Measure::memory && costs.all_have_memory());
    });
  }

  // True when nothing is missing.
  template <class Cost>
  bool met(std::size_t variant, const Cost& cost, std::vector<Unmeasured>& missing) const {
    const std::size_t before = missing.size();
    for (const Need& need : needs_) {
      if (!known(cost, need)) missing.push_back({variant, name_of(need.measure), needed_by(need)});
    }
    return missing.size() == before;
  }

 private:
  enum class Measure { energy, memory, device_memory, power, each_power };
  struct Need {  // words are only put together for what is missing
    Measure measure = Measure::energy;
    const char* key = "";        // of who asks for it
    bool of_task = false;        // it is the task's
    std::size_t memory = 0;      // of a device: its place in device_memories(),
    const char* name = nullptr;  // and its name, which follows the key
  };

  [[nodiscard]] std::string needed_by(const Need& need) const {
    const std::string key = need.of_task ? "/tasks/" + task_.id.str() + need.key : need.key;
    return need.name == nullptr ? key : key + need.name;
  }

  static const char* name_of(Measure measure) {
    switch (measure) {
      case Measure::energy:
        return "energy";
      case Measure::memory:
        return "memory";
      case Measure::device_memory:
        return "device memory";
      case Measure::power:
        return "power";
      case Measure::each_power:
        return "power per processor";
    }
    return "";
  }

  template <class Cost>
  static bool known(const Cost& cost, const Need& need) {
    switch (need.measure) {
      case Measure::energy:
        return cost.has_energy();
      case Measure::memory:
        return cost.memory().has_value();
      case Measure::device_memory:
        return cost.whole().device_memory[need.memory].has_value();
      case Measure::power:
        return cost.whole().power.has_value();
      case Measure::each_power:
        return each_power_known(cost.whole());
    }
    return false;
  }
  static bool each_power_known(const VariantCost& cost) {
    return std::all_of(cost.power_by_processor.begin(), cost.power_by_processor.end(),
                       [](const std::optional<Watts>& watts) { return watts.has_value(); });
  }

  void add(Measure measure, const char* key) { needs_.push_back({measure, key}); }

  void add_memories(const Snapshot& snapshot) {
    const std::vector<DeviceMemory> memories = device_memories(snapshot);
    for (std::size_t m = 0; m < memories.size(); ++m) {
      const auto limit = snapshot.limits.memories.find(memories[m].name);
      if (limit == snapshot.limits.memories.end()) continue;
      needs_.push_back({Measure::device_memory, "/limits/memories/", false, m, limit->first.c_str()});
    }
  }

  const Task& task_;
  ShortVector<Need, 4> needs_;
};

template <class CostOfVariant>
Filtered filter_each(const Snapshot& snapshot, const Task& task, std::size_t variants,
                     CostOfVariant cost_of_variant) {
  Filtered filtered;
  const Needs needs(snapshot, task);
  for (std::size_t variant = 0; variant < variants; ++variant) {
    const auto cost = cost_of_variant(variant);
    if (const auto filter = removed_by(snapshot, task, variant, cost)) {
      filtered.removed.push_back({variant, *filter});
      continue;
    }
    if (needs.met(variant, cost, filtered.unmeasured)) filtered.kept.push_back(variant);
  }
  return filtered;
}

// True only if, as for most tasks, no variant is removed and none lacks a measure.
bool keeps_all(const Snapshot& snapshot, const Task& task, const CostTable& costs) {
  return costs.all_run_here() && !has_filters(snapshot, task) && Needs(snapshot, task).met_by_all(costs);
}

}  // namespace

const char* to_string(Filter filter) {
  switch (filter) {
    case Filter::excluded:
      return "excluded";
    case Filter::processor:
      return "processor";
    case Filter::min_accuracy:
      return "min_accuracy";
    case Filter::min_relative_accuracy:
      return "min_relative_accuracy";
    case Filter::max_frame_time:
      return "max_frame_time";
    case Filter::max_latency:
      return "max_latency";
    case Filter::max_power:
      return "max_power";
    case Filter::max_memory:
      return "max_memory";
    case Filter::peak_power:
      return "peak_power";
  }
  return "";
}

Filtered filter_variants(const Snapshot& snapshot, const Task& task, std::span<const VariantCost> costs) {
  return filter_each(snapshot, task, costs.size(),
                     [&](std::size_t variant) { return ListedCost{costs[variant]}; });
}

Filtered filter_variants(const Snapshot& snapshot, const Task& task, const CostTable& costs) {
  if (!keeps_all(snapshot, task, costs)) {
    return filter_each(snapshot, task, costs.size(), [&](std::size_t variant) {
      return TabledCost{costs, variant};
    });
  }
  Filtered filtered;
  filtered.kept.resize(costs.size());
  std::iota(filtered.kept.begin(), filtered.kept.end(), std::size_t{0});
  return filtered;
}

std::vector<std::pair<std::string, std::size_t>> count_removed(const Filtered& filtered) {
  std::vector<std::pair<std::string, std::size_t>> counts;
  for (const Filter filter : kFilters) {
    const auto count = std::count_if(filtered.removed.begin(), filtered.removed.end(),
                                     [&](const Removed& removed) { return removed.filter == filter; });
    if (count > 0) counts.emplace_back(to_string(filter), static_cast<std::size_t>(count));
  }
  return counts;
}

std::string describe_removed(const Filtered& filtered) {
  std::vector<std::string> words;
  for (const auto& [filter, count] : count_removed(filtered)) {
    words.push_back(filter + " removes " + std::to_string(count));
  }
  return join(words);
}

}  // namespace saccade::scheduler
