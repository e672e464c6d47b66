// Which variants this runtime can execute: those that run on one processor of the snapshot, and those of
// several stages, each on one, for tasks of one region. Threads: pure.
#pragma once

#include <optional>
#include <vector>

#include "profiles/variant.hpp"
#include "runtime/control/memory_amounts.hpp"
#include "runtime/frames/frame.hpp"
#include "scheduler/snapshot.hpp"

namespace saccade::runtime {

// Whether it can be executed for a task of that many regions, on whatever processors.
[[nodiscard]] bool is_executable(const profiles::Variant& variant, int regions);

// The processor of the variant, or of its first stage. Absent: it cannot be executed here.
[[nodiscard]] std::optional<ProcessorIndex> processor_of(const profiles::Variant& variant,
                                                         const scheduler::Snapshot& snapshot, int regions);

// Of the memories of devices (`places`: scheduler::memory_places() of the snapshot) those that the variant's
// processors have.
[[nodiscard]] DevicePlaces devices_of(const profiles::Variant& variant, const scheduler::Snapshot& snapshot,
                                      const std::vector<std::optional<std::size_t>>& places);

}  // namespace saccade::runtime
