#include "scheduler/snapshot.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "scheduler/cost_table.hpp"

namespace saccade::scheduler {

const char* to_string(Objective objective) {
  switch (objective) {
    case Objective::max_accuracy:
      return "max_accuracy";
    case Objective::min_energy:
      return "min_energy";
    case Objective::min_memory:
      return "min_memory";
  }
  return "";
}

std::optional<Objective> objective_from(const std::string& name) {
  for (const Objective objective : {Objective::max_accuracy, Objective::min_energy, Objective::min_memory}) {
    if (name == to_string(objective)) return objective;
  }
  return std::nullopt;
}

const char* to_string(Degrade degrade) {
  switch (degrade) {
    case Degrade::exact:
      return "exact";
    case Degrade::step:
      return "step";
    case Degrade::refuse:
      return "refuse";
  }
  return "";
}

std::optional<Degrade> degrade_from(const std::string& name) {
  for (const Degrade degrade : {Degrade::exact, Degrade::step, Degrade::refuse}) {
    if (name == to_string(degrade)) return degrade;
  }
  return std::nullopt;
}

std::vector<DeviceMemory> device_memories(const Snapshot& snapshot) {
  std::vector<DeviceMemory> memories;
  for (const Processor& processor : snapshot.processors) {
    if (processor.memory.empty()) continue;
    const auto known = std::find_if(memories.begin(), memories.end(), [&](const DeviceMemory& memory) {
      return memory.name == processor.memory;
    });
    if (known == memories.end()) {
      memories.push_back({processor.memory, processor.device_context});
    } else {
      known->context = std::max(known->context, processor.device_context);
    }
  }
  return memories;
}

std::vector<std::optional<std::size_t>> memory_places(const Snapshot& snapshot) {
  const std::vector<DeviceMemory> memories = device_memories(snapshot);
  std::vector<std::optional<std::size_t>> places(snapshot.processors.size());
  for (std::size_t p = 0; p < places.size(); ++p) {
    for (std::size_t m = 0; m < memories.size(); ++m) {
      if (memories[m].name == snapshot.processors[p].memory) places[p] = m;
    }
  }
  return places;
}

Bytes host_context(const Snapshot& snapshot) {
  Bytes sum{0.0};
  std::map<std::string, Bytes> shared;
  for (const Processor& processor : snapshot.processors) {
    if (processor.memory.empty()) {
      sum += processor.context;
    } else {
      Bytes& largest = shared[processor.memory];
      largest = std::max(largest, processor.context);
    }
  }
  for (const auto& [name, context] : shared) sum += context;
  return sum;
}

std::vector<std::vector<std::size_t>> equal_processors(const Snapshot& snapshot) {
  std::map<std::pair<ProcessorId, std::string>, std::vector<std::size_t>> by_kind;
  for (std::size_t p = 0; p < snapshot.processors.size(); ++p) {
    const Processor& processor = snapshot.processors[p];
    by_kind[{processor.kind.str().empty() ? processor.id : processor.kind, processor.memory}].push_back(p);
  }
  std::vector<std::vector<std::size_t>> equal;
  for (auto& [kind, processors] : by_kind) {
    if (processors.size() > 1) equal.push_back(std::move(processors));
  }
  return equal;
}

Seconds VariantCost::total_time() const {
  Seconds total{0.0};
  for (const Seconds t : time) total += t;
  return total;
}

namespace {

ShortVector<std::optional<Watts>, 3> power_by_processor(const Snapshot& snapshot,
                                                        const profiles::Variant& variant) {
  ShortVector<std::optional<Watts>, 3> powers;
  const bool one_used = variant.frame_time.size() == 1;
  for (const Processor& processor : snapshot.processors) {
    std::optional<Watts> power;
    const Watts* const own = variant.power ? figure_on(variant.power->by_processor, processor.id) : nullptr;
    if (own != nullptr) {
      power = *own;
    } else if (figure_on(variant.frame_time, processor.id) == nullptr) {
      power = Watts(0.0);
    } else if (variant.power && one_used) {
      power = variant.power->device;
    }
    powers.push_back(power);
  }
  return powers;
}

void add_device_memory(const Snapshot& snapshot, const MemoryPlaces& places, const profiles::Variant& variant,
                       VariantCost& cost) {
  for (std::size_t p = 0; p < places.size(); ++p) {
    if (!places[p]) continue;
    while (cost.device_memory.size() <= *places[p]) cost.device_memory.push_back(Bytes(0.0));
    if (figure_on(variant.frame_time, snapshot.processors[p].id) == nullptr) continue;
    cost.device_memory[*places[p]] = variant.device_memory;
  }
}

}  // namespace

VariantCost variant_cost(const Snapshot& snapshot, const MemoryPlaces& places, const Task& task,
                         const profiles::Variant& variant, double best_accuracy) {
  VariantCost cost;
  profiles::TimeByProcessor several;
  if (task.regions > 1) several = profiles::time_per_frame(variant, task.regions);
  const profiles::TimeByProcessor& times = task.regions > 1 ? several : variant.frame_time;
  for (const Processor& processor : snapshot.processors) {
    const Seconds* const time = figure_on(times, processor.id);
    cost.time.push_back(time == nullptr ? Seconds(0.0) : *time * processor.correction);
  }
  cost.energy = profiles::energy_per_frame(variant, task.regions);
  cost.power = profiles::peak_power(variant);
  cost.power_by_processor = power_by_processor(snapshot, variant);
  cost.memory = variant.memory;
  add_device_memory(snapshot, places, variant, cost);
  cost.accuracy = variant.accuracy;
  cost.relative_accuracy = best_accuracy > 0.0 ? variant.accuracy / best_accuracy : 1.0;
  return cost;
}

VariantCost variant_cost(const Snapshot& snapshot, const Task& task, std::size_t variant) {
  return variant_cost(snapshot, memory_places(snapshot), task, task.profiles->variants[variant],
                      task.profiles->best_accuracy());
}

std::vector<VariantCost> variant_costs(const Snapshot& snapshot, const Task& task) {
  const double best_accuracy = task.profiles->best_accuracy();
  const MemoryPlaces places = memory_places(snapshot);
  std::vector<VariantCost> costs;
  costs.reserve(task.profiles->variants.size());
  for (const profiles::Variant& variant : task.profiles->variants) {
    costs.push_back(variant_cost(snapshot, places, task, variant, best_accuracy));
  }
  return costs;
}

}  // namespace saccade::scheduler
