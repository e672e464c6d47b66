#include "scheduler/snapshot.hpp"

#include <algorithm>
#include <map>
#include <utility>

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

std::vector<std::vector<std::size_t>> equal_processors(const Snapshot& snapshot) {
  std::map<ProcessorId, std::vector<std::size_t>> by_kind;
  for (std::size_t p = 0; p < snapshot.processors.size(); ++p) {
    const Processor& processor = snapshot.processors[p];
    by_kind[processor.kind.str().empty() ? processor.id : processor.kind].push_back(p);
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

// Of a map with hardly more than one entry: null when the processor is not in it.
template <class Value>
const Value* known(const std::map<ProcessorId, Value>& by_processor, const ProcessorId& processor) {
  for (const auto& [id, value] : by_processor) {
    if (id == processor) return &value;
  }
  return nullptr;
}

ShortVector<std::optional<Watts>, 3> power_by_processor(const Snapshot& snapshot,
                                                        const profiles::Variant& variant) {
  ShortVector<std::optional<Watts>, 3> powers;
  const bool one_used = variant.frame_time.size() == 1;
  for (const Processor& processor : snapshot.processors) {
    std::optional<Watts> power;
    const Watts* const own = variant.power ? known(variant.power->by_processor, processor.id) : nullptr;
    if (own != nullptr) {
      power = *own;
    } else if (known(variant.frame_time, processor.id) == nullptr) {
      power = Watts(0.0);
    } else if (variant.power && one_used) {
      power = variant.power->device;
    }
    powers.push_back(power);
  }
  return powers;
}

VariantCost cost_of(const Snapshot& snapshot, const Task& task, const profiles::Variant& variant,
                    double best_accuracy) {
  VariantCost cost;
  profiles::TimeByProcessor several;
  if (task.regions > 1) several = profiles::time_per_frame(variant, task.regions);
  const profiles::TimeByProcessor& times = task.regions > 1 ? several : variant.frame_time;
  for (const Processor& processor : snapshot.processors) {
    const Seconds* const time = known(times, processor.id);
    cost.time.push_back(time == nullptr ? Seconds(0.0) : *time * processor.correction);
  }
  cost.energy = profiles::energy_per_frame(variant, task.regions);
  cost.power = profiles::peak_power(variant);
  cost.power_by_processor = power_by_processor(snapshot, variant);
  cost.memory = variant.memory;
  cost.accuracy = variant.accuracy;
  cost.relative_accuracy = best_accuracy > 0.0 ? variant.accuracy / best_accuracy : 1.0;
  return cost;
}

}  // namespace

VariantCost variant_cost(const Snapshot& snapshot, const Task& task, std::size_t variant) {
  return cost_of(snapshot, task, task.profiles->variants[variant], task.profiles->best_accuracy());
}

std::vector<VariantCost> variant_costs(const Snapshot& snapshot, const Task& task) {
  const double best_accuracy = task.profiles->best_accuracy();
  std::vector<VariantCost> costs;
  costs.reserve(task.profiles->variants.size());
  for (const profiles::Variant& variant : task.profiles->variants) {
    costs.push_back(cost_of(snapshot, task, variant, best_accuracy));
  }
  return costs;
}

}  // namespace saccade::scheduler
