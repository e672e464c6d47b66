#include "runtime/control/memory_ledger.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"

namespace saccade::runtime {
namespace {

constexpr double kTolerance = 1e-9;

Bytes whole(const std::optional<Bytes>& amount) {
  return Bytes(std::ceil(amount.value_or(Bytes(0.0)).value()));
}

}  // namespace

MemoryAmounts memory_serving(const profiles::Variant& variant, const DevicePlaces& devices) {
  MemoryAmounts amounts(whole(variant.memory));
  for (const std::size_t device : devices) amounts.set(device + 1, whole(variant.device_memory));
  return amounts;
}

MemoryAmounts memory_loading(const profiles::Variant& variant, const DevicePlaces& devices) {
  MemoryAmounts amounts = memory_serving(variant, devices);
  MemoryAmounts peak(whole(variant.load_peak));
  for (const std::size_t device : devices) peak.set(device + 1, whole(variant.device_load_peak));
  amounts.raise_to(peak);
  return amounts;
}

MemoryLimits memory_limits(const scheduler::Snapshot& snapshot) {
  MemoryLimits limits{snapshot.limits.memory, {}};
  for (const scheduler::DeviceMemory& memory : scheduler::device_memories(snapshot)) {
    const auto limit = snapshot.limits.memories.find(memory.name);
    limits.devices.push_back(limit == snapshot.limits.memories.end() ? std::nullopt
                                                                     : std::optional(limit->second));
  }
  return limits;
}

MemoryAmounts memory_contexts(const scheduler::Snapshot& snapshot) {
  MemoryAmounts contexts(whole(scheduler::host_context(snapshot)));
  std::size_t number = 0;
  for (const scheduler::DeviceMemory& memory : scheduler::device_memories(snapshot)) {
    contexts.set(++number, whole(memory.context));
  }
  return contexts;
}

void MemoryLedger::set_contexts(const MemoryAmounts& contexts) {
  SACCADE_CHECK(reserved_.empty());
  contexts_ = contexts;
  peak_.raise_to(contexts);
}

std::optional<Bytes> MemoryLedger::limit(std::size_t memory) const {
  if (memory == 0) return limits_.host;
  return memory <= limits_.devices.size() ? limits_.devices[memory - 1] : std::nullopt;
}

MemoryAmounts MemoryLedger::used() const {
  MemoryAmounts sum = contexts_;
  for (const auto& [engine, amounts] : reserved_) sum += amounts;
  return sum;
}

std::vector<std::size_t> MemoryLedger::exceeded(const MemoryAmounts& amounts, bool tolerant) const {
  std::vector<std::size_t> memories;
  for (std::size_t m = 0; m <= limits_.devices.size(); ++m) {
    const std::optional<Bytes> allowed = limit(m);
    const double most = tolerant ? 1.0 + kTolerance : 1.0;
    if (allowed && amounts.of(m).value() > allowed->value() * most) memories.push_back(m);
  }
  return memories;
}

bool MemoryLedger::reserve(EngineKey engine, const MemoryAmounts& amounts) {
  SACCADE_CHECK(MemoryAmounts().within(amounts) && !reserved_.contains(engine));
  if (!fits(amounts)) return false;
  reserved_.emplace(engine, amounts);
  peak_.raise_to(used());
  return true;
}

void MemoryLedger::shrink(EngineKey engine, const MemoryAmounts& amounts) {
  MemoryAmounts& reserved = reserved_.at(engine);
  SACCADE_CHECK(amounts.within(reserved));
  reserved = amounts;
}

void MemoryLedger::release(EngineKey engine) { SACCADE_CHECK(reserved_.erase(engine) == 1); }

}  // namespace saccade::runtime
