// What is reserved of the memories of devices, for status and summary. Threads: plain values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/quantity.hpp"
#include "runtime/control/memory_ledger.hpp"
#include "scheduler/snapshot.hpp"

namespace saccade::runtime {

struct MemoryUse {
  std::string name;
  Bytes reserved{0.0};  // contexts included
  Bytes peak{0.0};
  std::optional<Bytes> limit;  // the configured one, whether or not it is enforced
};

// In the order in which processors name them; none where everything is in the host's memory.
[[nodiscard]] std::vector<MemoryUse> memory_uses(const scheduler::Snapshot& wanted,
                                                 const MemoryLedger& ledger);

}  // namespace saccade::runtime
