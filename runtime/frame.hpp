// How a frame ends. Every received frame ends exactly once: processed, or dropped with one reason
// and one cause. received = processed + dropped + in flight, always.
// Threads: plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/clock.hpp"

namespace saccade::runtime {

using TaskIndex = std::size_t;       // configuration order
using ProcessorIndex = std::size_t;  // configuration order
using FrameNumber = std::uint64_t;   // unique in a run
using EngineKey = std::uint64_t;     // one loaded (or loading) engine; never reused in a run

enum class DropReason { stale, over_quota, no_engine, engine_error, inactive, shutdown };
inline constexpr std::size_t kDropReasons = 6;
[[nodiscard]] const char* to_string(DropReason reason);

enum class LossCause { switching, solving, other };  // "switch", "solve", "other" in outputs
inline constexpr std::size_t kLossCauses = 3;
[[nodiscard]] const char* to_string(LossCause cause);

struct Drop {
  TaskIndex task = 0;
  FrameNumber frame = 0;
  DropReason reason = DropReason::stale;
  LossCause cause = LossCause::other;
};

}  // namespace saccade::runtime
