// Snapshots in a few lines: `Scene().cpu().task("gate", 10).variant("big", 0.9, 40)`.
// Times are milliseconds, memory megabytes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "scheduler/snapshot.hpp"

namespace saccade::test {

struct Extras {
  std::optional<double> megabytes = {};
  std::optional<double> joules = {};
  std::optional<double> watts = {};
};

class Scene {
 public:
  Scene& cpu(const std::string& name = "cpu", double guard = 0.0) {
    scheduler::Processor processor;
    processor.id = ProcessorId(name);
    processor.guard = Seconds(guard);
    snapshot.processors.push_back(std::move(processor));
    return *this;
  }
  Scene& task(const std::string& id, double fps) {
    scheduler::Task task;
    task.id = TaskId(id);
    task.demand = Fps(fps);
    task.profiles = std::make_shared<const profiles::ProfileSet>();
    snapshot.tasks.push_back(std::move(task));
    return *this;
  }
  // A variant of the last task.
  Scene& variant(const std::string& id, double accuracy, double milliseconds, const Extras& extras = {},
                 const std::string& processor = "cpu") {
    profiles::Variant variant;
    variant.id = VariantId(id);
    variant.accuracy = accuracy;
    variant.frame_time[ProcessorId(processor)] = Seconds(milliseconds * 1e-3);
    if (extras.megabytes) variant.memory = Bytes(*extras.megabytes * 1e6);
    if (extras.joules) variant.energy_per_inference = Joules(*extras.joules);
    if (extras.watts) variant.power = profiles::Power{Watts(*extras.watts), {}};
    profiles::ProfileSet set = *last().profiles;
    set.variants.push_back(std::move(variant));
    last().profiles = std::make_shared<const profiles::ProfileSet>(std::move(set));
    return *this;
  }
  scheduler::Task& last() { return snapshot.tasks.back(); }

  scheduler::Snapshot snapshot;
};

}  // namespace saccade::test
