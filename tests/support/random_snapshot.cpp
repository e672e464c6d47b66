#include "tests/support/random_snapshot.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

namespace saccade::test {

using scheduler::Objective;
using scheduler::Snapshot;
using scheduler::Task;

bool RandomSnapshots::chance(double probability) {
  return static_cast<double>(random_() >> 11U) * 0x1p-53 < probability;
}

double RandomSnapshots::between(double low, double high, double grain) {
  const auto steps = static_cast<std::size_t>(std::floor((high - low) / grain + 1e-9));
  return low + static_cast<double>(below(steps + 1)) * grain;
}

std::size_t RandomSnapshots::below(std::size_t count) { return static_cast<std::size_t>(random_() % count); }

profiles::ProfileSetPtr RandomSnapshots::profile_set(const Snapshot& snapshot, const Needs& needs) {
  profiles::ProfileSet set;
  set.network = "random";
  const std::size_t count = 1 + below(shape_.most_variants);
  const bool energy = needs.energy || chance(0.7);
  const bool memory = needs.memory || chance(0.7);
  const bool power = needs.power || chance(0.7);
  for (std::size_t i = 0; i < count; ++i) {
    profiles::Variant variant;
    variant.id = VariantId(std::string("v").append(std::to_string(i)));
    const double size = between(0.0, 1.0, 0.125);
    variant.accuracy = std::min(1.0, 0.6 + 0.35 * std::sqrt(size) - between(0.0, 0.05, 0.01));
    const std::size_t used = chance(0.8) ? 1 : 1 + below(snapshot.processors.size());
    const std::size_t first = below(snapshot.processors.size());
    for (std::size_t p = 0; p < used; ++p) {
      const ProcessorId& id = snapshot.processors[(first + p) % snapshot.processors.size()].id;
      variant.frame_time[id] = Seconds(1e-3 * std::pow(12.0, size) * between(0.8, 1.2, 0.1));
    }
    if (i > 0 && chance(0.03)) variant.frame_time[ProcessorId("elsewhere")] = Seconds(1e-3);
    if (chance(0.5)) {
      for (const auto& [id, time] : variant.frame_time) variant.batch_time[4][id] = time * 3.2;
    }
    if (power && (needs.power || chance(0.9))) {
      profiles::Power figure;
      if (variant.frame_time.size() == 1 && chance(0.5)) {
        figure.device = Watts(between(1.0, 10.0, 0.5));
      } else {
        for (const auto& [id, time] : variant.frame_time)
          figure.by_processor[id] = Watts(between(1, 10, 0.5));
      }
      variant.power = std::move(figure);
    }
    if (energy && (needs.energy || chance(0.9))) {
      variant.energy_per_inference = Joules(1e-3 * std::pow(8.0, size) * between(5.0, 15.0, 1.0));
      if (!variant.batch_time.empty() && i % 2 == 0)
        variant.batch_energy[4] = *variant.energy_per_inference * 2.5;
    }
    if (memory && (needs.memory || chance(0.9))) {
      variant.memory = Bytes(1e6 * std::round(5.0 * std::pow(10.0, size) * between(0.8, 1.2, 0.1)));
    }
    set.variants.push_back(std::move(variant));
  }
  return std::make_shared<const profiles::ProfileSet>(std::move(set));
}

Task RandomSnapshots::task(const Snapshot& snapshot, const Needs& needs, std::size_t index) {
  Task task;
  task.id = TaskId(std::string("camera").append(std::to_string(index)));
  task.profiles = profile_set(snapshot, needs);
  const std::size_t count = task.profiles->variants.size();
  task.demand = chance(0.1) ? Fps(0.0) : Fps(between(0.5, 30.0, chance(0.7) ? 1.0 : 0.25));
  task.regions = chance(0.6) ? 1 : static_cast<int>(1 + below(6));
  task.weight = between(0.5, 3.0, 0.5);
  task.priority = static_cast<int>(below(3)) - 1;
  if (shape_.filters) {
    if (chance(0.2)) task.min_accuracy = between(0.6, 0.9, 0.05);
    if (chance(0.2)) task.min_relative_accuracy = between(0.7, 1.0, 0.05);
    if (needs.power && chance(0.3)) task.max_power = Watts(between(4.0, 16.0, 1.0));
    if (needs.memory && chance(0.3)) task.max_memory = Bytes(between(10e6, 60e6, 5e6));
    if (chance(0.2)) {
      for (std::size_t i = 0; i < count; ++i) task.excluded.push_back(chance(0.3));
    }
  }
  if (shape_.floors) {
    if (chance(0.3)) task.min_fps = Fps(between(0.0, 20.0, 0.5));
    if (chance(0.2)) task.min_time_share = between(0.0, 0.3, 0.05);
  }
  if (chance(0.6)) {
    task.running = below(count);
    task.running_rate = Fps(between(1.0, 30.0, 1.0));
    if (chance(0.7)) task.since_switch = Seconds(between(0.0, 10.0, 1.0));
  }
  return task;
}

// Scales all times so that the most accurate variants together need a drawn share of the first budget.
void RandomSnapshots::scale_load(Snapshot& snapshot) {
  double load = 0.0;
  for (const Task& task : snapshot.tasks) {
    const auto best = std::max_element(
        task.profiles->variants.begin(), task.profiles->variants.end(),
        [](const profiles::Variant& a, const profiles::Variant& b) { return a.accuracy < b.accuracy; });
    for (const auto& [id, time] : best->frame_time) load += task.regions * (time * task.demand);
  }
  if (load <= 0.0) return;
  const double factor =
      between(0.2, shape_.most_load, 0.1) * static_cast<double>(snapshot.processors.size()) * 0.95 / load;
  for (Task& task : snapshot.tasks) {
    profiles::ProfileSet set = *task.profiles;
    for (profiles::Variant& variant : set.variants) {
      for (auto& [id, time] : variant.frame_time) time = time * factor;
      for (auto& [batch, times] : variant.batch_time) {
        for (auto& [id, time] : times) time = time * factor;
      }
    }
    task.profiles = std::make_shared<const profiles::ProfileSet>(std::move(set));
    if (shape_.filters && chance(0.15)) task.max_frame_time = Seconds(between(0.01, 0.2, 0.01));
  }
}

// Limits somewhere between what the hungriest and the most modest variants need, and a little beyond.
void RandomSnapshots::set_limits(Snapshot& snapshot, const Needs& needs) {
  double least_memory = 0.0;
  double most_memory = 0.0;
  double least_energy = 0.0;
  double most_energy = 0.0;
  for (const Task& task : snapshot.tasks) {
    if (!task.active()) continue;
    double small = 1e18;
    double large = 0.0;
    double modest = 1e18;
    double hungry = 0.0;
    for (const profiles::Variant& variant : task.profiles->variants) {
      if (variant.memory) {
        small = std::min(small, variant.memory->value());
        large = std::max(large, variant.memory->value());
      }
      if (variant.energy_per_inference) {
        const double rate = variant.energy_per_inference->value() * task.regions * task.demand.value();
        modest = std::min(modest, rate);
        hungry = std::max(hungry, rate);
      }
    }
    least_memory += small;
    most_memory += large;
    least_energy += modest;
    most_energy += hungry;
  }
  const auto drawn = [&](double least, double most) {
    return std::max(0.0, least + between(-0.2, 1.0, 0.1) * (most - least));
  };
  if (needs.memory && chance(0.6)) snapshot.limits.memory = Bytes(drawn(least_memory, most_memory));
  if (needs.energy && chance(0.6)) {
    snapshot.limits.energy_per_second = snapshot.idle_power + Watts(drawn(least_energy, most_energy));
  }
  if (needs.power && chance(0.6)) {
    snapshot.limits.peak_power =
        snapshot.idle_power +
        Watts(between(4.0, 10.0 * static_cast<double>(snapshot.processors.size()), 0.5));
  }
}

Snapshot RandomSnapshots::next() {
  Snapshot snapshot;
  snapshot.generation = random_() % 1000;
  const std::size_t processors =
      std::max(shape_.least_processors, chance(0.6) ? 1 : 1 + below(shape_.most_processors));
  for (std::size_t p = 0; p < processors; ++p) {
    scheduler::Processor processor;
    processor.id = ProcessorId(std::string("cpu").append(std::to_string(p)));
    if (chance(0.2)) processor.correction = between(0.8, 1.6, 0.1);
    snapshot.processors.push_back(std::move(processor));
  }
  if (chance(0.4)) snapshot.idle_power = Watts(between(0.5, 3.0, 0.5));
  const Needs needs{.energy = chance(0.5), .memory = chance(0.5), .power = chance(0.4)};
  const std::size_t tasks = 1 + below(shape_.most_tasks);
  for (std::size_t i = 0; i < tasks; ++i) snapshot.tasks.push_back(task(snapshot, needs, i));
  scale_load(snapshot);
  set_limits(snapshot, needs);
  switch (below(3)) {
    case 1:
      if (needs.energy) snapshot.objective = Objective::min_energy;
      break;
    case 2:
      if (needs.memory) snapshot.objective = Objective::min_memory;
      break;
    default:
      break;
  }
  if (shape_.penalty && chance(0.3)) {
    snapshot.switch_penalty = {.max_accuracy = between(0.0, 0.1, 0.01),
                               .min_energy = between(0, 2, 0.25),
                               .min_memory = between(0, 4e7, 5e6)};
  }
  if (shape_.penalty && chance(0.3)) snapshot.min_dwell = Seconds(between(0.0, 8.0, 1.0));
  return snapshot;
}

}  // namespace saccade::test
