// The life of one engine, from its load to its destruction, as one table in code:
//
//   empty -> loading -> warming -> ready -> active -> draining -> unloading -> unloaded
//   ready -> draining                       no longer wanted
//   draining -> parked -> active | unloading   in the warm cache
//   draining -> held -> active | parked | unloading   outside the cache, until a lost source is back, or
//                                                     until a task that is not demanded is
//   loading | warming -> failed -> unloading, or -> unloaded when nothing was loaded
//   loading | warming -> abandoned -> unloading, or -> unloaded likewise    timed out
//
// Everything else is refused. An EngineSlot is that life with what was loaded; per task the controller
// holds at most one active slot, at most one that is to replace it, and parked or held ones.
// Threads: plain value.
#pragma once

#include <cstddef>
#include <optional>

#include "base/clock.hpp"
#include "profiles/profile_set.hpp"
#include "runtime/control/memory_amounts.hpp"
#include "runtime/frames/frame.hpp"

namespace saccade::runtime {

enum class EngineState {
  empty,
  loading,
  warming,
  ready,
  active,
  draining,
  parked,
  held,
  failed,
  abandoned,  // its load or warm-up timed out; any outcome is discarded
  unloading,  // its destruction was requested
  unloaded
};
inline constexpr std::size_t kEngineStates = 12;
[[nodiscard]] const char* to_string(EngineState state);

enum class EngineEvent {
  load,
  loaded,
  warmed,
  failed,
  timed_out,
  swapped_in,
  swapped_out,
  parked,
  held,
  unload,
  unloaded
};
inline constexpr std::size_t kEngineEvents = 11;
[[nodiscard]] const char* to_string(EngineEvent event);

// The state that follows; absent when the event is illegal in that state.
[[nodiscard]] std::optional<EngineState> next_state(EngineState state, EngineEvent event);

struct EngineSlot {
  EngineKey key = 0;
  TaskIndex task = 0;
  profiles::ProfileSetPtr profiles;
  std::size_t variant = 0;
  int regions = 1;               // the engine's batch
  ProcessorIndex processor = 0;  // of its first stage, if it has several
  DevicePlaces memories;         // of its processors; none: the host's alone

  EngineState state = EngineState::empty;
  TimePoint load_started{};
  Duration load_time{0};
  Duration warm_time{0};
  // Five inferences in a row failed, or one hangs in a stage of it, or it is draining and may share a stage
  // with such an engine: it is never parked or reused. Not a state, because a broken engine goes on: it
  // serves until another one replaces it – if an inference hangs, not even so long – and then drains.
  bool broken = false;
  // Loaded for a task that is not demanded, to be ready when it is (controller_spare.cpp); until it serves.
  bool spare = false;
  int errors_in_a_row = 0;
  int good_in_a_row = 0;

  void apply(EngineEvent event);  // an illegal one is a failed check
  [[nodiscard]] bool holds(const profiles::ProfileSetPtr& set, std::size_t index, int batch) const {
    return profiles == set && variant == index && regions == batch && !broken;
  }
  [[nodiscard]] const profiles::Variant& profile() const { return profiles->variants[variant]; }
};

}  // namespace saccade::runtime
