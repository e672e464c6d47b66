// The facts of a camera (frames/capture_facts.hpp) as its reader counts them. Threads: one writer, any number
// of readers; what is read together need not be of the same instant.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/frames/capture_facts.hpp"

namespace saccade::runtime {

struct CaptureCounters {
  std::atomic<Duration::rep> processor_nanoseconds{0};
  std::atomic<std::uint64_t> decoded{0};
  std::atomic<std::uint64_t> skipped{0};
  std::atomic<std::uint64_t> reconnects{0};

  [[nodiscard]] CaptureFacts read() const {
    return {Duration(processor_nanoseconds.load(std::memory_order_relaxed)),
            decoded.load(std::memory_order_relaxed), skipped.load(std::memory_order_relaxed),
            reconnects.load(std::memory_order_relaxed)};
  }
};

}  // namespace saccade::runtime
