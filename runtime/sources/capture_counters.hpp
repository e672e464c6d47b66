// A camera's counters (frames/capture_facts.hpp), maintained by its reader. Threads: one writer, any number
// of readers; values read together need not be of the same instant.
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

  [[nodiscard]] CaptureFacts read() const {
    const Duration last(last_picture.load(std::memory_order_relaxed));
    CaptureFacts facts{Duration(processor_nanoseconds.load(std::memory_order_relaxed)),
                       decoded.load(std::memory_order_relaxed), skipped.load(std::memory_order_relaxed),
                       reconnects.load(std::memory_order_relaxed), std::nullopt};
    if (last.count() != 0) facts.age = captured_now().monotonic - last;
    return facts;
  }
};

}  // namespace saccade::runtime
