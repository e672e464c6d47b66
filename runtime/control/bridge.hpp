// The bridge: a smaller variant of the same task that serves while the old engine makes room for the new one.
// Where old and new do not fit into memory together, the small one usually fits beside the old one, and the
// new one beside the small one: two exchanges instead of a gap, so that no frame is lost (paper 004 III-D
// keeps the old engine only where both fit).
//
// A bridge passes the task's own filters (scheduler/filter.hpp), runs on the processor of the old engine and
// takes at most its time, memory, energy and power per frame, so that no budget that held breaks because of
// it. Of several the one that loads fastest is taken, for everybody else waits for it. Threads: pure.
#pragma once

#include <cstddef>
#include <optional>

#include "base/quantity.hpp"
#include "runtime/control/engine_slot.hpp"
#include "runtime/control/memory_ledger.hpp"
#include "scheduler/snapshot.hpp"

namespace saccade::runtime {

// old: serves. loading: what its successor needs while it loads. Absent: there is none.
// snapshot: as it would be planned with now, failed variants excluded.
[[nodiscard]] std::optional<std::size_t> bridge_variant(const scheduler::Snapshot& snapshot,
                                                        const EngineSlot& old, const MemoryAmounts& loading,
                                                        const MemoryLedger& memory);

}  // namespace saccade::runtime
