// How the cores of a machine are divided among processors of one kind: many that each compute inferences
// alone, or fewer that compute each inference together. Threads: pure. Errors: none.
#pragma once

#include <optional>
#include <vector>

#include "profiles/profile_set.hpp"
#include "scheduler/plan.hpp"

namespace saccade::config {

struct Partition {
  ProcessorId kind;
  int threads = 1;                     // CPUs of each processor
  std::vector<std::vector<int>> cpus;  // per processor, one CPU of every core; leftover cores are unused
};

// Of the cores (runtime::machine_cores()) for the first kind of the device; absent: there are not enough
// cores.
[[nodiscard]] std::optional<Partition> partition(const std::vector<std::vector<int>>& cores,
                                                 const profiles::Device& device);

// Whether plan `a` is better than `b`, both for the same tasks and objective: by feasibility, then by losses
// from the highest class down, then by objective, then by the utilisation of the fullest processor
// (`fullest`).
[[nodiscard]] bool serves_better(const scheduler::Plan& a, double fullest_a, const scheduler::Plan& b,
                                 double fullest_b);

}  // namespace saccade::config
