// The account of memory, of every memory by its name.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "runtime/simulation/invariants.hpp"
#include "scheduler/snapshot.hpp"

namespace saccade::runtime {

// In the profile's own figures: whole bytes, the larger of memory and load peak while it loads.
Invariants::MemoryBook Invariants::needs(const profiles::Variant& variant,
                                         const std::set<std::string>& memories, bool loading) {
  const auto bytes = [&](const std::optional<Bytes>& serving, const std::optional<Bytes>& peak) {
    const double most = serving ? serving->value() : 0.0;
    return std::ceil(loading && peak ? std::max(most, peak->value()) : most);
  };
  MemoryBook book = {{"", bytes(variant.memory, variant.load_peak)}};
  for (const std::string& memory : memories) {
    if (!memory.empty()) book[memory] = bytes(variant.device_memory, variant.device_load_peak);
  }
  return book;
}

Invariants::MemoryBook Invariants::in_use() const {
  MemoryBook sum;
  for (const auto& [key, engine] : engines_) {
    for (const auto& [memory, bytes] : engine.life <= Life::warming ? engine.loading : engine.serving)
      sum[memory] += bytes;
  }
  return sum;
}

Invariants::MemoryBook Invariants::reserved() const {
  const MemoryAmounts used = controller_.memory().used();
  MemoryBook book = {{"", used.host().value()}};
  std::size_t number = 0;
  for (const scheduler::DeviceMemory& memory : scheduler::device_memories(wanted_))
    book[memory.name] = used.of(++number).value();
  return book;
}

std::set<std::string> Invariants::memories_of(const profiles::Variant& variant, int regions) const {
  std::set<std::string> memories;
  for (const auto& [id, time] : profiles::time_per_frame(variant, regions)) {
    memories.insert(wanted_.processors.at(processor_of(id)).memory);
  }
  return memories;
}

bool Invariants::exceeds_limit(MemoryBook sum) const {
  sum[""] += std::ceil(scheduler::host_context(wanted_).value());
  for (const scheduler::DeviceMemory& memory : scheduler::device_memories(wanted_)) {
    sum[memory.name] += std::ceil(memory.context.value());
  }
  return std::any_of(sum.begin(), sum.end(), [&](const auto& each) {
    const std::optional<double> limit = limit_of(each.first);
    return limit && each.second > *limit * (1.0 + kTolerance);
  });
}

std::optional<double> Invariants::limit_of(const std::string& memory) const {
  if (!limited_) return std::nullopt;
  if (memory.empty())
    return wanted_.limits.memory ? std::optional(wanted_.limits.memory->value()) : std::nullopt;
  const auto limit = wanted_.limits.memories.find(memory);
  return limit == wanted_.limits.memories.end() ? std::nullopt : std::optional(limit->second.value());
}

void Invariants::check_memory() {
  const MemoryBook now = reserved();
  for (const auto& [memory, bytes] : in_use()) {
    const auto found = now.find(memory);
    require(found != now.end() && bytes <= found->second * (1.0 + kTolerance),
            "every engine that exists is reserved", "bytes", bytes);
  }
  bool above = false;
  for (const auto& [memory, bytes] : now) {
    const std::optional<double> limit = limit_of(memory);
    if (!limit || bytes <= *limit * (1.0 + kTolerance)) continue;
    above = true;
    require(bytes <= reserved_before_[memory], "nothing is reserved above the limit", "bytes", bytes);
  }
  if (!above) {
    above_since_.reset();
  } else if (!above_since_) {
    above_since_ = now_;
  }
  reserved_before_ = now;
}

// --- loads on a device ----------------------------------------------------------------------------

void Invariants::load_ended(const EngineBook& engine, TimePoint now) {
  for (const auto& [memory, bytes] : engine.loading) {
    if (!memory.empty()) load_ended_[memory] = now;
  }
}

Duration Invariants::pause_on(const std::set<std::string>& memories) const {
  Duration longest{0};
  for (std::size_t p = 0; p < config_.processors.size(); ++p) {
    const std::string& memory = wanted_.processors.at(p).memory;
    if (!memory.empty() && memories.contains(memory))
      longest = std::max(longest, to_duration(config_.processors[p].load_pause));
  }
  return longest;
}

void Invariants::check_pause(const std::set<std::string>& memories, TimePoint now) {
  for (const std::string& memory : memories) {
    const auto ended = load_ended_.find(memory);
    if (ended == load_ended_.end()) continue;
    const bool serves = std::any_of(engines_.begin(), engines_.end(), [&](const auto& each) {
      return each.second.life == Life::serving && each.second.loading.contains(memory);
    });
    require(!serves || now - ended->second >= pause_on({memory}),
            "loads on a device keep its pause while something serves there", "ns",
            (now - ended->second).count());
  }
}

}  // namespace saccade::runtime
