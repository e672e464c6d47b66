// The memory that engines may take: max(memory, load peak) is reserved before a load, and the reservation
// shrinks to the memory afterwards. No reservation is admitted above the limit; lowering the limit below what
// is in use releases nothing by itself, it only refuses. As everywhere, a limit holds if used <= limit * (1 +
// 1e-9). Amounts are whole bytes, rounded up, so that sums are exact. A variant whose memory was not measured
// counts as 0 here; configurations with a memory limit and such a variant are refused by their reader.
// Threads: plain value.
#pragma once

#include <map>
#include <optional>

#include "base/quantity.hpp"
#include "profiles/variant.hpp"
#include "runtime/frames/frame.hpp"

namespace saccade::runtime {

[[nodiscard]] Bytes memory_serving(const profiles::Variant& variant);
[[nodiscard]] Bytes memory_loading(const profiles::Variant& variant);  // max(memory, load peak)

class MemoryLedger {
 public:
  void set_limit(std::optional<Bytes> limit) { limit_ = limit; }
  [[nodiscard]] const std::optional<Bytes>& limit() const { return limit_; }

  [[nodiscard]] Bytes used() const;
  [[nodiscard]] Bytes peak() const { return peak_; }  // the largest used() so far
  [[nodiscard]] bool over_limit() const { return !holds(used()); }
  [[nodiscard]] bool fits(Bytes amount) const { return holds(used() + amount); }  // now
  [[nodiscard]] bool ever_fits(Bytes amount) const { return holds(amount); }      // alone

  // False, without effect, if it does not fit. Requires that the key holds no reservation.
  [[nodiscard]] bool reserve(EngineKey engine, Bytes amount);
  void shrink(EngineKey engine, Bytes amount);  // to at most its current reservation
  void release(EngineKey engine);
  [[nodiscard]] Bytes reserved(EngineKey engine) const { return reserved_.at(engine); }

 private:
  [[nodiscard]] bool holds(Bytes used) const;

  std::optional<Bytes> limit_;
  std::map<EngineKey, Bytes> reserved_;
  Bytes peak_{0.0};
};

}  // namespace saccade::runtime
