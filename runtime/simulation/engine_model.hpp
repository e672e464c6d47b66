// An engine of a simulation: what it was loaded from and how long everything takes with it, as modelled
// (simulated_shell.hpp).
// Threads: plain value.
#pragma once

#include "base/id.hpp"
#include "runtime/controller.hpp"
#include "runtime/simulation/latency.hpp"

namespace saccade::runtime {

struct EngineModel {
  TaskIndex task = 0;
  std::size_t variant = 0;
  profiles::ProfileSetPtr profiles;
  ProcessorIndex processor = 0;
  TimePoint asked{};  // the load
  TimePoint begun{};  // the load or warm-up it is in
  int warm_up = 1;    // inferences
  Latency frame;
  Latency load;
};

[[nodiscard]] EngineModel engine_model(const action::Load& load, const ProcessorId& processor,
                                       TimePoint asked);

}  // namespace saccade::runtime
