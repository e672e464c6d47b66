// All engines of a run, from the moment they are requested until they are destroyed, and the memory they
// hold. At most one is on its way up (loading or warming) at a time. An engine whose load timed out is
// abandoned: it keeps its reservation, and occupies its loader thread, until it is known to be gone.
// Threads: plain value, used by the controller only.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/clock.hpp"
#include "runtime/control/engine_slot.hpp"
#include "runtime/control/memory_ledger.hpp"
#include "scheduler/snapshot.hpp"

namespace saccade::runtime {

class EngineRack {
 public:
  [[nodiscard]] MemoryLedger& memory() { return memory_; }
  [[nodiscard]] const MemoryLedger& memory() const { return memory_; }

  // Reserves memory and begins an engine's life. Requires that the reservation fits and that nothing is on
  // its way up.
  EngineSlot& start_load(TaskIndex task, const scheduler::Task& config, std::size_t variant,
                         ProcessorIndex processor, const DevicePlaces& memories, TimePoint now);
  void loaded(EngineSlot& slot, Duration time);  // -> warming
  void warmed(EngineSlot& slot, Duration time);  // -> ready; the reservation shrinks to the engine's memory
  void failed(EngineSlot& slot);                 // -> failed; the loader is free again
  void abandon(EngineSlot& slot);                // -> abandoned; another loader thread may take the next load
  void gone(EngineKey engine);                   // -> unloaded; its memory is released

  [[nodiscard]] EngineSlot* find(EngineKey engine);  // null: no such engine
  [[nodiscard]] EngineSlot& at(EngineKey engine);
  [[nodiscard]] const EngineSlot& at(EngineKey engine) const;
  [[nodiscard]] bool has_any(TaskIndex task) const;  // engine, in whatever state
  [[nodiscard]] EngineSlot* on_the_way_up();         // null when no engine is loading or warming
  [[nodiscard]] const EngineSlot* on_the_way_up() const;
  // Loader threads that are taken by abandoned engines.
  [[nodiscard]] std::size_t left_behind() const { return left_behind_.size(); }

  // Memory of engines that no longer serve and will be released without further decisions.
  [[nodiscard]] MemoryAmounts coming_back() const;
  // Parked or held, and exactly what the task wants; null: there is none.
  [[nodiscard]] EngineSlot* parked(TaskIndex task, const scheduler::Task& config, std::size_t variant);
  // A spare one, otherwise of the warm cache, otherwise of those held for a source; null: there is none.
  [[nodiscard]] EngineSlot* oldest_parked();
  [[nodiscard]] EngineSlot* oldest_cached();  // null: the warm cache is empty
  // The task's spare engine, loading, warming or held; absent: there is none.
  [[nodiscard]] std::optional<EngineKey> spare(TaskIndex task) const;
  [[nodiscard]] std::vector<EngineKey> parked() const;  // or held, oldest first
  [[nodiscard]] std::vector<EngineKey> draining(TaskIndex task) const;
  [[nodiscard]] std::vector<EngineKey> broken(TaskIndex task) const;
  [[nodiscard]] Bytes cached_memory() const;  // of the warm cache, all memories together

 private:
  MemoryLedger memory_;
  std::map<EngineKey, EngineSlot> slots_;
  std::optional<EngineKey> up_;
  // Not the slots in state `abandoned`: an abandoned engine that has loaded after all is unloaded, and its
  // loader counts as taken until that is done.
  std::set<EngineKey> left_behind_;
  EngineKey last_key_ = 0;
};

}  // namespace saccade::runtime
