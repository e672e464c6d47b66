#include "runtime/control/engine_rack.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace saccade::runtime {
namespace {

bool is_parked(const EngineSlot& slot) {
  return slot.state == EngineState::parked || slot.state == EngineState::held;
}

}  // namespace

EngineSlot& EngineRack::start_load(TaskIndex task, const scheduler::Task& config, std::size_t variant,
                                   ProcessorIndex processor, const DevicePlaces& memories, TimePoint now) {
  SACCADE_CHECK(!up_);
  EngineSlot slot;
  slot.key = ++last_key_;
  slot.task = task;
  slot.profiles = config.profiles;
  slot.variant = variant;
  slot.regions = config.regions;
  slot.processor = processor;
  slot.memories = memories;
  slot.load_started = now;
  slot.apply(EngineEvent::load);
  const bool admitted = memory_.reserve(slot.key, memory_loading(slot.profile(), slot.memories));
  SACCADE_CHECK(admitted);
  up_ = slot.key;
  return slots_.emplace(slot.key, slot).first->second;
}

void EngineRack::loaded(EngineSlot& slot, Duration time) {
  slot.apply(EngineEvent::loaded);
  slot.load_time = time;
}

void EngineRack::warmed(EngineSlot& slot, Duration time) {
  slot.apply(EngineEvent::warmed);
  slot.warm_time = time;
  memory_.shrink(slot.key, memory_serving(slot.profile(), slot.memories));
  up_.reset();
}

void EngineRack::failed(EngineSlot& slot) {
  slot.apply(EngineEvent::failed);
  up_.reset();
}

void EngineRack::abandon(EngineSlot& slot) {
  slot.apply(EngineEvent::timed_out);
  up_.reset();
  left_behind_.insert(slot.key);
}

void EngineRack::gone(EngineKey engine) {
  at(engine).apply(EngineEvent::unloaded);
  memory_.release(engine);
  left_behind_.erase(engine);
  slots_.erase(engine);
}

EngineSlot* EngineRack::find(EngineKey engine) {
  const auto found = slots_.find(engine);
  return found == slots_.end() ? nullptr : &found->second;
}

EngineSlot& EngineRack::at(EngineKey engine) {
  EngineSlot* slot = find(engine);
  SACCADE_CHECK(slot);
  return *slot;
}

const EngineSlot& EngineRack::at(EngineKey engine) const {
  const auto found = slots_.find(engine);
  SACCADE_CHECK(found != slots_.end());
  return found->second;
}

bool EngineRack::has_any(TaskIndex task) const {
  return std::any_of(slots_.begin(), slots_.end(),
                     [&](const auto& each) { return each.second.task == task; });
}

EngineSlot* EngineRack::on_the_way_up() { return up_ ? &at(*up_) : nullptr; }

const EngineSlot* EngineRack::on_the_way_up() const { return up_ ? &at(*up_) : nullptr; }

MemoryAmounts EngineRack::coming_back() const {
  MemoryAmounts sum;
  for (const auto& [key, slot] : slots_) {
    if (slot.state == EngineState::draining || slot.state == EngineState::unloading)
      sum += memory_.reserved(key);
  }
  return sum;
}

EngineSlot* EngineRack::parked(TaskIndex task, const scheduler::Task& config, std::size_t variant) {
  for (auto& [key, slot] : slots_) {
    if (is_parked(slot) && slot.task == task && slot.holds(config.profiles, variant, config.regions)) {
      return &slot;
    }
  }
  return nullptr;
}

EngineSlot* EngineRack::oldest_parked() {
  const std::vector<EngineKey> all = parked();
  const auto spare = std::find_if(all.begin(), all.end(), [&](EngineKey engine) { return at(engine).spare; });
  if (spare != all.end()) return &at(*spare);
  if (EngineSlot* slot = oldest_cached()) return slot;
  return all.empty() ? nullptr : &at(all.front());
}

EngineSlot* EngineRack::oldest_cached() {
  const auto found = std::find_if(slots_.begin(), slots_.end(),
                                  [](const auto& each) { return each.second.state == EngineState::parked; });
  return found == slots_.end() ? nullptr : &found->second;
}

std::optional<EngineKey> EngineRack::spare(TaskIndex task) const {
  for (const auto& [key, slot] : slots_) {
    const bool kept = slot.state == EngineState::loading || slot.state == EngineState::warming ||
                      slot.state == EngineState::held;
    if (kept && slot.spare && slot.task == task) return key;
  }
  return std::nullopt;
}

std::vector<EngineKey> EngineRack::parked() const {
  std::vector<EngineKey> engines;
  for (const auto& [key, slot] : slots_) {
    if (is_parked(slot)) engines.push_back(key);
  }
  return engines;
}

std::vector<EngineKey> EngineRack::draining(TaskIndex task) const {
  std::vector<EngineKey> engines;
  for (const auto& [key, slot] : slots_) {
    if (slot.task == task && slot.state == EngineState::draining) engines.push_back(key);
  }
  return engines;
}

std::vector<EngineKey> EngineRack::broken(TaskIndex task) const {
  std::vector<EngineKey> engines;
  for (const auto& [key, slot] : slots_) {
    if (slot.task == task && slot.broken) engines.push_back(key);
  }
  return engines;
}

Bytes EngineRack::cached_memory() const {
  Bytes sum{0.0};
  for (const auto& [key, slot] : slots_) {
    if (slot.state == EngineState::parked) sum += memory_.reserved(key).total();
  }
  return sum;
}

}  // namespace saccade::runtime
