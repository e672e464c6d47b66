// A camera's counters (frames/capture_facts.hpp), maintained by its reader, its sizes by the capture.
// Threads: one writer each, any number of readers; values read together need not be of the same instant.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/frames/capture_facts.hpp"
#include "runtime/sources/capture_time.hpp"

namespace saccade::runtime {

struct CaptureCounters {
  std::atomic<Duration::rep> processor_nanoseconds{0};
  std::atomic<std::uint64_t> decoded{0};
  std::atomic<std::uint64_t> skipped{0};
  std::atomic<std::uint64_t> reconnects{0};
  std::atomic<Duration::rep> last_picture{0};  // arrival, as CaptureTime::monotonic
  std::atomic<std::uint64_t> sent{0};          // size of the newest picture taken, packed; 0: none yet
  std::atomic<std::uint64_t> used{0};          // and what it was reduced to

  [[nodiscard]] static std::uint64_t packed(CaptureSize size) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(size[0])) << 32U |
           static_cast<std::uint32_t>(size[1]);
  }

  [[nodiscard]] CaptureFacts read() const {
    const Duration last(last_picture.load(std::memory_order_relaxed));
    CaptureFacts facts{Duration(processor_nanoseconds.load(std::memory_order_relaxed)),
                       decoded.load(std::memory_order_relaxed),
                       skipped.load(std::memory_order_relaxed),
                       reconnects.load(std::memory_order_relaxed),
                       std::nullopt,
                       size_of(sent.load(std::memory_order_relaxed)),
                       size_of(used.load(std::memory_order_relaxed))};
    if (last.count() != 0) facts.age = captured_now().monotonic - last;
    return facts;
  }

 private:
  [[nodiscard]] static std::optional<CaptureSize> size_of(std::uint64_t packed) {
    if (packed == 0) return std::nullopt;
    return CaptureSize{static_cast<int>(packed >> 32U), static_cast<int>(packed & 0xFFFFFFFFU)};
  }
};

}  // namespace saccade::runtime
