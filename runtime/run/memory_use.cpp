#include "runtime/run/memory_use.hpp"

namespace saccade::runtime {

std::vector<MemoryUse> memory_uses(const scheduler::Snapshot& wanted, const MemoryLedger& ledger) {
  std::vector<MemoryUse> uses;
  const MemoryAmounts used = ledger.used();
  for (const scheduler::DeviceMemory& memory : scheduler::device_memories(wanted)) {
    const std::size_t number = uses.size() + 1;
    const auto limit = wanted.limits.memories.find(memory.name);
    uses.push_back({memory.name, used.of(number), ledger.peak().of(number),
                    limit == wanted.limits.memories.end() ? std::nullopt : std::optional(limit->second)});
  }
  return uses;
}

}  // namespace saccade::runtime
