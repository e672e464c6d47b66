// An instance as the snapshot of a whole decision. The weight of a task is scaled so that its relative
// accuracies are worth what its accuracies are worth in make_problem(): both have the same best choice.
// Threads: pure.
#pragma once

#include "bench/solver/families.hpp"
#include "scheduler/snapshot.hpp"

namespace saccade::bench {

// Nothing runs yet. `degrade` as given; with several classes every task has its instance's priority
// and weight 1, else all are of one class.
[[nodiscard]] scheduler::Snapshot make_snapshot(const Instance& instance, scheduler::Degrade degrade,
                                                bool several_classes);

}  // namespace saccade::bench
