// Which variants this runtime can execute: those that run on exactly one processor of the snapshot. (A
// network split over several processors is planned, but not yet executed.) Threads: pure.
#pragma once

#include <optional>

#include "profiles/variant.hpp"
#include "runtime/frames/frame.hpp"
#include "scheduler/snapshot.hpp"

namespace saccade::runtime {

// Absent: the variant cannot be executed here.
[[nodiscard]] std::optional<ProcessorIndex> processor_of(const profiles::Variant& variant,
                                                         const scheduler::Snapshot& snapshot);

}  // namespace saccade::runtime
