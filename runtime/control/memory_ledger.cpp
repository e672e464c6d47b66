#include "runtime/control/memory_ledger.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"

namespace saccade::runtime {

Bytes memory_serving(const profiles::Variant& variant) {
  return Bytes(std::ceil(variant.memory.value_or(Bytes(0.0)).value()));
}

Bytes memory_loading(const profiles::Variant& variant) {
  return std::max(memory_serving(variant), Bytes(std::ceil(variant.load_peak.value_or(Bytes(0.0)).value())));
}

Bytes MemoryLedger::used() const {
  Bytes sum{0.0};
  for (const auto& [engine, amount] : reserved_) sum += amount;
  return sum;
}

bool MemoryLedger::holds(Bytes used) const {
  return !limit_ || used.value() <= limit_->value() * (1.0 + 1e-9);
}

bool MemoryLedger::reserve(EngineKey engine, Bytes amount) {
  SACCADE_CHECK(amount.value() >= 0.0 && !reserved_.contains(engine));
  if (!fits(amount)) return false;
  reserved_.emplace(engine, amount);
  peak_ = std::max(peak_, used());
  return true;
}

void MemoryLedger::shrink(EngineKey engine, Bytes amount) {
  Bytes& reserved = reserved_.at(engine);
  SACCADE_CHECK(amount <= reserved);
  reserved = amount;
}

void MemoryLedger::release(EngineKey engine) { SACCADE_CHECK(reserved_.erase(engine) == 1); }

}  // namespace saccade::runtime
