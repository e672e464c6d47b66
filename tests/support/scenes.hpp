// Networks, cameras and snapshots in a few words, and plans that are written down.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scheduler/plan.hpp"

namespace saccade::test {

// One variant on one processor.
struct V {
  std::string id;
  double accuracy = 0.9;
  double time_ms = 1.0;
  double memory_mb = 10.0;
  double load_ms = 10.0;
  double load_peak_mb = 0.0;
  std::string processor = "cpu";
  double watts = 0.0;  // 0 = not measured
};
profiles::ProfileSetPtr network(const std::vector<V>& variants);
// Two steps: a large accurate variant and a small one.
profiles::ProfileSetPtr ladder(double large_ms = 20.0);
scheduler::Task camera(const std::string& id, double fps, profiles::ProfileSetPtr profiles, int priority = 0);
scheduler::Snapshot scene(std::vector<scheduler::Task> tasks, double capacity = 1.0,
                          std::optional<double> memory_mb = std::nullopt);
scheduler::Snapshot with_demand(scheduler::Snapshot snapshot, std::size_t task, double fps);
scheduler::Snapshot with_memory(scheduler::Snapshot snapshot, double mb);

// A plan that gives every active task the variant (absent = off) at its full demand.
scheduler::Plan scripted(const scheduler::Snapshot& snapshot,
                         const std::vector<std::optional<std::size_t>>& variants);

}  // namespace saccade::test
