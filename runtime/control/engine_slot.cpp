#include "runtime/control/engine_slot.hpp"

#include <array>

#include "base/check.hpp"

namespace saccade::runtime {
namespace {

struct Step {
  EngineState from;
  EngineEvent event;
  EngineState to;
};

constexpr Step kSteps[] = {
    {EngineState::empty, EngineEvent::load, EngineState::loading},
    {EngineState::loading, EngineEvent::loaded, EngineState::warming},
    {EngineState::loading, EngineEvent::failed, EngineState::failed},
    {EngineState::loading, EngineEvent::timed_out, EngineState::abandoned},
    {EngineState::warming, EngineEvent::warmed, EngineState::ready},
    {EngineState::warming, EngineEvent::failed, EngineState::failed},
    {EngineState::warming, EngineEvent::timed_out, EngineState::abandoned},
    {EngineState::ready, EngineEvent::swapped_in, EngineState::active},
    {EngineState::ready, EngineEvent::swapped_out, EngineState::draining},
    {EngineState::active, EngineEvent::swapped_out, EngineState::draining},
    {EngineState::draining, EngineEvent::parked, EngineState::parked},
    {EngineState::draining, EngineEvent::held, EngineState::held},
    {EngineState::draining, EngineEvent::unload, EngineState::unloading},
    {EngineState::parked, EngineEvent::swapped_in, EngineState::active},
    {EngineState::parked, EngineEvent::unload, EngineState::unloading},
    {EngineState::held, EngineEvent::swapped_in, EngineState::active},
    {EngineState::held, EngineEvent::parked, EngineState::parked},
    {EngineState::held, EngineEvent::unload, EngineState::unloading},
    {EngineState::failed, EngineEvent::unload, EngineState::unloading},
    {EngineState::failed, EngineEvent::unloaded, EngineState::unloaded},
    {EngineState::abandoned, EngineEvent::unload, EngineState::unloading},
    {EngineState::abandoned, EngineEvent::unloaded, EngineState::unloaded},
    {EngineState::unloading, EngineEvent::unloaded, EngineState::unloaded},
};

}  // namespace

const char* to_string(EngineState state) {
  constexpr std::array<const char*, kEngineStates> kNames{"empty",  "loading",   "warming",   "ready",
                                                          "active", "draining",  "parked",    "held",
                                                          "failed", "abandoned", "unloading", "unloaded"};
  return kNames.at(static_cast<std::size_t>(state));
}

const char* to_string(EngineEvent event) {
  constexpr std::array<const char*, kEngineEvents> kNames{"load",      "loaded",     "warmed",      "failed",
                                                          "timed_out", "swapped_in", "swapped_out", "parked",
                                                          "held",      "unload",     "unloaded"};
  return kNames.at(static_cast<std::size_t>(event));
}

std::optional<EngineState> next_state(EngineState state, EngineEvent event) {
  for (const Step& step : kSteps) {
    if (step.from == state && step.event == event) return step.to;
  }
  return std::nullopt;
}

void EngineSlot::apply(EngineEvent event) {
  const std::optional<EngineState> next = next_state(state, event);
  SACCADE_CHECK(next);
  state = *next;
}

}  // namespace saccade::runtime
