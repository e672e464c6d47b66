// A simulated engine: what it was loaded from and its latencies (the model is in simulated_shell.hpp).
// Threads: plain value.
#pragma once

#include <vector>

#include "base/id.hpp"
#include "runtime/control/actions.hpp"
#include "runtime/simulation/latency.hpp"

namespace saccade::runtime {

struct EngineModel {
  TaskIndex task = 0;
  std::size_t variant = 0;
  profiles::ProfileSetPtr profiles;
  ProcessorIndex processor = 0;
  TimePoint asked{};                // when its load was requested
  TimePoint begun{};                // start of its current load or warm-up
  int warm_up = 1;                  // inferences of its warm-up
  std::vector<Latency> stages;      // of a frame in each; one, if the network is whole
  std::vector<std::size_t> copies;  // of each, with the stage itself
  Latency load;
};

[[nodiscard]] EngineModel engine_model(const action::Load& load, const ProcessorId& processor,
                                       TimePoint asked);

}  // namespace saccade::runtime
