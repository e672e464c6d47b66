// The life of one engine, from its load to its destruction, as one table in code:
//
//   empty -> loading -> warming -> ready -> active -> draining -> unloaded
//   ready -> draining (cancelled); draining -> parked -> active | unloaded (warm cache)
//   loading, warming -> failed -> unloaded
//
// Everything else is refused. An EngineSlot is that life with what was loaded; per task the controller
// holds at most one active slot, at most one that is to replace it, and parked ones.
// Threads: plain value.
#pragma once

#include <cstddef>
#include <optional>

#include "base/clock.hpp"
#include "profiles/profile_set.hpp"
#include "runtime/frame.hpp"

namespace saccade::runtime {

enum class EngineState { empty, loading, warming, ready, active, draining, parked, failed, unloaded };
inline constexpr std::size_t kEngineStates = 9;
[[nodiscard]] const char* to_string(EngineState state);

enum class EngineEvent { load, loaded, warmed, failed, swapped_in, swapped_out, parked, unloaded };
inline constexpr std::size_t kEngineEvents = 8;
[[nodiscard]] const char* to_string(EngineEvent event);

// Where the event leads, or absent when it is illegal in that state.
[[nodiscard]] std::optional<EngineState> next_state(EngineState state, EngineEvent event);

struct EngineSlot {
  EngineKey key = 0;
  TaskIndex task = 0;
  profiles::ProfileSetPtr profiles;
  std::size_t variant = 0;
  int regions = 1;  // the engine's batch
  ProcessorIndex processor = 0;

  EngineState state = EngineState::empty;
  TimePoint load_started{};
  Duration load_time{0};
  Duration warm_time{0};
  bool abandoned = false;     // its load timed out; what comes of it is thrown away
  bool unload_asked = false;  // the shell has been told to destroy it
  bool waits = false;         // parked until its task's source is back, beside the warm cache
  bool broken = false;        // five inference errors in a row: never to be kept or reused
  int errors_in_a_row = 0;
  int good_in_a_row = 0;

  void apply(EngineEvent event);  // an illegal one is a failed check
  [[nodiscard]] bool holds(const profiles::ProfileSetPtr& set, std::size_t index, int batch) const {
    return profiles == set && variant == index && regions == batch && !broken;
  }
  [[nodiscard]] const profiles::Variant& profile() const { return profiles->variants[variant]; }
};

}  // namespace saccade::runtime
