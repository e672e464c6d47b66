#include "scheduler/filter.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "ilp/choice_problem.hpp"
#include "scheduler/text.hpp"

namespace saccade::scheduler {
namespace {

constexpr std::array kFilters = {
    Filter::excluded,       Filter::processor, Filter::min_accuracy, Filter::min_relative_accuracy,
    Filter::max_frame_time, Filter::max_power, Filter::max_memory,   Filter::peak_power,
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

std::optional<Filter> removed_by(const Snapshot& snapshot, const Task& task, std::size_t variant,
                                 const VariantCost& cost) {
  if (!task.excluded.empty() && task.excluded[variant]) return Filter::excluded;
  if (!runs_here(snapshot, task.profiles->variants[variant])) return Filter::processor;
  if (task.min_accuracy && !ilp::holds(*task.min_accuracy, cost.accuracy)) return Filter::min_accuracy;
  if (task.min_relative_accuracy && !ilp::holds(*task.min_relative_accuracy, cost.relative_accuracy)) {
    return Filter::min_relative_accuracy;
  }
  if (exceeds(std::optional(cost.total_time()), task.max_frame_time)) return Filter::max_frame_time;
  if (exceeds(cost.power, task.max_power)) return Filter::max_power;
  if (exceeds(cost.memory, task.max_memory)) return Filter::max_memory;
  if (snapshot.processors.size() == 1 && snapshot.limits.peak_power && cost.power &&
      !ilp::holds(snapshot.idle_power.value() + cost.power->value(), snapshot.limits.peak_power->value())) {
    return Filter::peak_power;
  }
  return std::nullopt;
}

std::vector<Unmeasured> missing(const Snapshot& snapshot, const Task& task, std::size_t variant,
                                const VariantCost& cost) {
  const std::string own = "/tasks/" + task.id.str();
  const Limits& limits = snapshot.limits;
  std::vector<Unmeasured> found;
  const auto need = [&](bool wanted, bool known, const char* measure, const std::string& needed_by) {
    if (wanted && !known) found.push_back({variant, measure, needed_by});
  };
  const bool energy = cost.energy.has_value();
  const bool memory = cost.memory.has_value();
  const bool power = cost.power.has_value();
  need(snapshot.objective == Objective::min_energy, energy, "energy", "/objective");
  need(limits.energy_per_second.has_value(), energy, "energy", "/limits/energy_joules_per_second");
  need(snapshot.objective == Objective::min_memory, memory, "memory", "/objective");
  need(limits.memory.has_value(), memory, "memory", "/limits/memory_bytes");
  need(task.max_memory.has_value(), memory, "memory", own + "/max_memory_bytes");
  need(task.max_power.has_value(), power, "power", own + "/max_power_watts");
  if (snapshot.processors.size() == 1) {
    need(limits.peak_power.has_value(), power, "power", "/limits/peak_power_watts");
  } else {
    const bool each = std::all_of(cost.power_by_processor.begin(), cost.power_by_processor.end(),
                                  [](const std::optional<Watts>& watts) { return watts.has_value(); });
    need(limits.peak_power.has_value(), each, "power per processor", "/limits/peak_power_watts");
  }
  return found;
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
  Filtered filtered;
  for (std::size_t variant = 0; variant < costs.size(); ++variant) {
    if (const auto filter = removed_by(snapshot, task, variant, costs[variant])) {
      filtered.removed.push_back({variant, *filter});
      continue;
    }
    const std::vector<Unmeasured> absent = missing(snapshot, task, variant, costs[variant]);
    if (absent.empty()) filtered.kept.push_back(variant);
    filtered.unmeasured.insert(filtered.unmeasured.end(), absent.begin(), absent.end());
  }
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
