// The memory that engines may take: reserved before a load, at max(memory, load peak), and shrunk to
// the memory afterwards. No reservation is admitted above the limit; a limit that is lowered below
// what is in use takes nothing back by itself, it only refuses. A row holds as everywhere:
// used <= limit * (1 + 1e-9). Amounts are whole bytes, rounded up, so that sums are exact.
// A variant whose memory was not measured counts as 0 here; a configuration with a memory limit is
// refused before it gets this far when such a variant is in it.
// Threads: plain value.
#pragma once

#include <map>
#include <optional>

#include "base/quantity.hpp"
#include "profiles/variant.hpp"
#include "runtime/frame.hpp"

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

  // False, and nothing changed, when it does not fit. A key is reserved once.
  [[nodiscard]] bool reserve(EngineKey engine, Bytes amount);
  void shrink(EngineKey engine, Bytes amount);  // to at most what it has
  void release(EngineKey engine);
  [[nodiscard]] Bytes reserved(EngineKey engine) const { return reserved_.at(engine); }

 private:
  [[nodiscard]] bool holds(Bytes used) const;

  std::optional<Bytes> limit_;
  std::map<EngineKey, Bytes> reserved_;
  Bytes peak_{0.0};
};

}  // namespace saccade::runtime
