// Basic types of frames: indices, how a frame ends, and what can be set for a task while frames flow.
// Every received frame ends exactly once: processed, or dropped with one reason and one cause.
// received = processed + dropped + in flight, always.
// Threads: plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/clock.hpp"
#include "base/quantity.hpp"

namespace saccade::runtime {

using TaskIndex = std::size_t;  // configuration order
inline constexpr TaskIndex kNoTask = static_cast<TaskIndex>(-1);
// Identifies a task permanently: an index is reused some time after its task was removed, a number never is.
// The first owner's number is the index itself.
using TaskNumber = std::uint64_t;
[[nodiscard]] constexpr TaskNumber task_number(TaskIndex index, std::uint64_t owners_before) {
  return owners_before << 32U | index;
}
[[nodiscard]] constexpr TaskIndex task_index(TaskNumber number) { return number & 0xFFFF'FFFFU; }
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

// What the worker spends on one frame.
struct FrameTime {
  FrameTime() = default;
  template <class Count, class Unit>
  FrameTime(std::chrono::duration<Count, Unit>
                inference)  // NOLINT(google-explicit-constructor): only that is known
      : infer(inference) {}
  Duration prepare{0};  // from the picture to the network's input
  Duration infer{0};    // in the engine
  Duration decode{0};   // from the network's outputs to results
  [[nodiscard]] Duration total() const { return prepare + infer + decode; }
  FrameTime& operator+=(const FrameTime& other) {
    prepare += other.prepare;
    infer += other.infer;
    decode += other.decode;
    return *this;
  }
};

struct RouteExchange {  // of a task; `engine` absent: the task is switched off, or another one follows
  TaskIndex task = 0;
  std::optional<EngineKey> engine;
  ProcessorIndex processor = 0;
  std::optional<EngineKey> old;  // swapped out: drained once no frame is in it
  bool follows = false;          // `engine` absent: frames wait in the gate for the one that is being loaded
};

struct RateCeiling {
  TaskIndex task = 0;
  Fps rate{0.0};
  std::optional<Fps> shadow;  // the rate without the transition, while one lasts
};

struct MeasuredProcessor {  // what plans are to know of it from now on
  ProcessorIndex processor = 0;
  double correction = 1.0;            // measured / profiled frame time (drift_filter.hpp)
  std::optional<Seconds> guard = {};  // follows the frames lost (guard_keeper.hpp); absent: as it was
};

}  // namespace saccade::runtime
