// A task at its limit: a client keeps so many frames under way and sends the next one when one is answered.
// Threads: starts the shell's own and waits for them; one run at a time. Errors: the shell cannot be opened,
// no frame was processed.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/quantity.hpp"
#include "base/result.hpp"
#include "runtime/engines/engine.hpp"
#include "runtime/run/run_config.hpp"
#include "runtime/sources/frame_source.hpp"
#include "scheduler/policy.hpp"

namespace saccade::bench {

struct ClosedLoop {
  std::vector<runtime::Frame> frames;  // sent in turn
  std::size_t under_way = 1;
  Seconds warm{0.5};  // before anything is measured
  Seconds duration{5.0};
};

struct LoopFigures {
  double fps = 0.0;
  Seconds latency_p99;   // from sending to the answer
  std::size_t lost = 0;  // frames that were not processed
};

// Of a configuration with one task, whose source is `push`.
[[nodiscard]] Result<LoopFigures> run_closed_loop(const runtime::RunConfig& config,
                                                  std::shared_ptr<const runtime::EngineBackend> backend,
                                                  const scheduler::Policy& policy, const ClosedLoop& loop);

}  // namespace saccade::bench
