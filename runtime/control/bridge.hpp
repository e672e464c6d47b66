// The bridge: a smaller variant of the same task that serves while the old engine makes room for the new one.
// If old and new do not fit into memory together, the small one usually fits next to the old one, and the new
// one next to the small one: two exchanges instead of a gap, so that no frame is lost (paper 004 III-D keeps
// the old engine only if both fit).
//
// A bridge passes the task's own filters (scheduler/filter.hpp), runs on the processor of the old engine and
// needs at most its time, memory, energy and power per frame, so that it violates no budget that held before.
// Engines of several stages neither have a bridge nor are one.
// Of several candidates the one that loads fastest is chosen, because everything else waits for it. Threads:
// pure.
#pragma once

#include <cstddef>
#include <optional>

#include "base/quantity.hpp"
#include "runtime/control/engine_slot.hpp"
#include "runtime/control/memory_ledger.hpp"
#include "scheduler/snapshot.hpp"

namespace saccade::runtime {

// Of nothing that a plan counts does the variant take more per frame.
[[nodiscard]] bool takes_no_more(const scheduler::VariantCost& cost, const scheduler::VariantCost& old);

// old: serves. loading: what its successor needs while it loads. Absent: there is no bridge.
// snapshot: as it would be planned with now, failed variants excluded.
[[nodiscard]] std::optional<std::size_t> bridge_variant(const scheduler::Snapshot& snapshot,
                                                        const EngineSlot& old, const MemoryAmounts& loading,
                                                        const MemoryLedger& memory);

}  // namespace saccade::runtime
