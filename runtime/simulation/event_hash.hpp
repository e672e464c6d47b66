// A hash of all events in their order: FNV-1a on 64-bit words, with a rotation so that the high bits
// count as well. Integers only.
// Threads: plain value.
#pragma once

#include <bit>
#include <cstdint>

namespace saccade::runtime {

class EventHash {
 public:
  void mix(std::uint64_t word) { value_ = std::rotl((value_ ^ word) * 0x00000100000001B3U, 29); }
  template <class... Words>
  void mix(std::uint64_t first, Words... others) {
    mix(first);
    (mix(static_cast<std::uint64_t>(others)), ...);
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xCBF29CE484222325U;
};

}  // namespace saccade::runtime
