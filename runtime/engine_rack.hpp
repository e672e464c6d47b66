// All engines of a run, from the moment they are asked for until they are destroyed, and the memory
// they hold. At most one is on its way up (loading or warming) at a time; loads that timed out are
// abandoned: they keep their reservation until they are known to be gone.
// Threads: plain value, used by the controller only.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "base/clock.hpp"
#include "runtime/engine_slot.hpp"
#include "runtime/memory_ledger.hpp"
#include "scheduler/snapshot.hpp"

namespace saccade::runtime {

class EngineRack {
 public:
  [[nodiscard]] MemoryLedger& memory() { return memory_; }
  [[nodiscard]] const MemoryLedger& memory() const { return memory_; }

  // Reserves and starts the life of an engine. The reservation must fit, and nothing be on its way up.
  EngineSlot& start_load(TaskIndex task, const scheduler::Task& config, std::size_t variant,
                         ProcessorIndex processor, TimePoint now);
  void loaded(EngineSlot& slot, Duration time);  // -> warming
  void warmed(EngineSlot& slot, Duration time);  // -> ready; the reservation shrinks to what it needs
  void failed(EngineSlot& slot);                 // -> failed; the loader is free again
  void abandon(EngineSlot& slot);                // -> failed, and whatever comes of it is thrown away
  void gone(EngineKey engine);                   // -> unloaded; its memory is given back

  [[nodiscard]] EngineSlot* find(EngineKey engine);
  [[nodiscard]] EngineSlot& at(EngineKey engine);
  [[nodiscard]] const EngineSlot& at(EngineKey engine) const;
  [[nodiscard]] EngineSlot* on_the_way_up();  // null when the loader is free
  [[nodiscard]] std::size_t abandoned() const;

  // Memory of engines that serve nobody any more and will be given back without further ado.
  [[nodiscard]] Bytes coming_back() const;
  [[nodiscard]] EngineSlot* parked(TaskIndex task, const scheduler::Task& config, std::size_t variant);
  // Of the warm cache, else of those that wait for a source.
  [[nodiscard]] EngineSlot* oldest_parked();
  [[nodiscard]] std::vector<EngineKey> parked() const;  // that stay
  [[nodiscard]] Bytes cached_memory() const;            // of those that stay in the warm cache

 private:
  MemoryLedger memory_;
  std::map<EngineKey, EngineSlot> slots_;
  std::optional<EngineKey> up_;
  EngineKey last_key_ = 0;
};

}  // namespace saccade::runtime
