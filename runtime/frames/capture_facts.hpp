// The cost and output of a task's camera since the task began. "Decoded" are pictures converted to pixels for
// a tick; "skipped" are pictures that arrived but that no tick would have taken, or that depend on others if
// only key frames are decoded. A camera that is lost and delivers again has reconnected once.
// Threads: plain value.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/clock.hpp"

namespace saccade::runtime {

using CaptureSize = std::array<int, 2>;  // width and height, pixels

// Whether a camera that sends pictures of that size, of which the task uses no more than `used`, should send
// smaller ones: more than four times the pixels are decoded in vain.
[[nodiscard]] constexpr bool sends_too_much(const CaptureSize& sent, const CaptureSize& used) {
  constexpr std::int64_t kTimesTooMany = 4;
  return std::int64_t{sent[0]} * sent[1] > kTimesTooMany * used[0] * used[1];
}

struct CaptureFacts {
  Duration processor_time{0};  // of the thread that reads and decodes
  std::uint64_t decoded = 0;
  std::uint64_t skipped = 0;
  std::uint64_t reconnects = 0;
  std::optional<Duration> age;      // of the newest picture of the task's current source
  std::optional<CaptureSize> sent;  // of the newest picture that the task took; absent: none yet
  std::optional<CaptureSize> used;  // what it was reduced to
  bool operator==(const CaptureFacts&) const = default;

  // Adds the counters of an earlier source of the same task.
  CaptureFacts& operator+=(const CaptureFacts& more) {
    processor_time += more.processor_time;
    decoded += more.decoded;
    skipped += more.skipped;
    reconnects += more.reconnects;
    return *this;
  }
};

}  // namespace saccade::runtime
