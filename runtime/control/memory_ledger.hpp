// The memories that engines may take: the host's, and those of devices (scheduler::device_memories()). For
// each max(memory, load peak) is reserved before a load, and the reservation shrinks to the memory
// afterwards. No reservation is admitted above a limit; lowering a limit below what is in use releases
// nothing by itself, it only refuses. As everywhere, a limit holds if used <= limit * (1 + 1e-9). Amounts are
// whole bytes, rounded up, so that sums are exact. What the contexts of devices take counts from the
// beginning, once. A variant whose memory was not measured counts as 0 here; configurations with a limit on
// that memory and such a variant are refused by their reader. Threads: plain value.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "base/quantity.hpp"
#include "profiles/variant.hpp"
#include "runtime/control/memory_amounts.hpp"
#include "runtime/frames/frame.hpp"
#include "scheduler/snapshot.hpp"

namespace saccade::runtime {

// Of one engine; `devices`: the memories of its processors, those that are not the host's. An engine of
// several stages takes its device memory in each, as plans count it.
[[nodiscard]] MemoryAmounts memory_serving(const profiles::Variant& variant,
                                           const DevicePlaces& devices = {});
// max(memory, load peak), of every memory
[[nodiscard]] MemoryAmounts memory_loading(const profiles::Variant& variant,
                                           const DevicePlaces& devices = {});

struct MemoryLimits {
  std::optional<Bytes> host;
  std::vector<std::optional<Bytes>> devices;  // by place; what is not there has no limit
  bool operator==(const MemoryLimits&) const = default;
};
[[nodiscard]] MemoryLimits memory_limits(const scheduler::Snapshot& snapshot);
// What contexts take.
[[nodiscard]] MemoryAmounts memory_contexts(const scheduler::Snapshot& snapshot);

class MemoryLedger {
 public:
  // Before anything is reserved. Without a call nothing is taken by contexts.
  void set_contexts(const MemoryAmounts& contexts);
  void set_limits(MemoryLimits limits) { limits_ = std::move(limits); }
  [[nodiscard]] const MemoryLimits& limits() const { return limits_; }
  // 0: the host's; m + 1: of the device memory m. Absent: unlimited.
  [[nodiscard]] std::optional<Bytes> limit(std::size_t memory) const;

  [[nodiscard]] MemoryAmounts used() const;
  [[nodiscard]] const MemoryAmounts& peak() const { return peak_; }  // the largest of used() so far, each
  [[nodiscard]] bool over_limit() const { return !holds(used()); }
  // The memories, numbered as in limit(), that `amounts` exceeds; `tolerant`: as a limit holds, otherwise by
  // the last byte.
  [[nodiscard]] std::vector<std::size_t> exceeded(const MemoryAmounts& amounts, bool tolerant = true) const;
  [[nodiscard]] bool fits(const MemoryAmounts& amounts) const { return holds(used() + amounts); }  // now

  // False, without effect, if it does not fit. Requires that the key holds no reservation.
  [[nodiscard]] bool reserve(EngineKey engine, const MemoryAmounts& amounts);
  void shrink(EngineKey engine, const MemoryAmounts& amounts);  // to at most what it has
  void release(EngineKey engine);
  [[nodiscard]] const MemoryAmounts& reserved(EngineKey engine) const { return reserved_.at(engine); }

 private:
  [[nodiscard]] bool holds(const MemoryAmounts& used) const { return exceeded(used).empty(); }

  MemoryLimits limits_;
  MemoryAmounts contexts_;
  std::map<EngineKey, MemoryAmounts> reserved_;
  MemoryAmounts peak_;
};

}  // namespace saccade::runtime
