// How the cores of a machine are divided among processors of one kind: many that compute an inference alone,
// or fewer that compute it together. Threads: pure. Errors: none.
#pragma once

#include <optional>
#include <vector>

#include "profiles/profile_set.hpp"
#include "scheduler/plan.hpp"

namespace saccade::config {

struct Partition {
  ProcessorId kind;
  int threads = 1;  // CPUs of each processor
  std::vector<std::vector<int>>
      cpus;  // per processor, one CPU of every core; cores that are left over are free
};

// Of the cores (runtime::machine_cores()) for the first kind of the device; absent: it needs more cores.
[[nodiscard]] std::optional<Partition> partition(const std::vector<std::vector<int>>& cores,
                                                 const profiles::Device& device);

// Whether plan `a` serves better than `b`, both of the same tasks and objective: it can run; it loses less,
// the highest class first; its objective is better; the fullest processor is less full. `fullest`: of each.
[[nodiscard]] bool serves_better(const scheduler::Plan& a, double fullest_a, const scheduler::Plan& b,
                                 double fullest_b);

}  // namespace saccade::config
