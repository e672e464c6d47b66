// How a run of the bench is driven: the states of a scenario's timeline in turn, over and over, a change
// every period; the product also stays in the first state for as long in turn (quiet stretches),
// to show what is lost when nothing switches. The first processor serves; the product is run as it is,
// watched from outside.
// Threads: functions without shared state; each returns when its run is over. Errors: what the product
// says when a source or the engine library is not there.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

#include "base/result.hpp"
#include "bench/switch/recording.hpp"
#include "runtime/engines/engine.hpp"
#include "runtime/run/run_config.hpp"

namespace saccade::bench {

enum class LoaderPlace { same_core, other_core };

struct Course {
  runtime::RunConfig config;  // the states are those of its timeline
  std::shared_ptr<const runtime::EngineBackend> backend;
  Duration period{0};
  std::size_t settling = 0;  // switches before anything is measured
  std::size_t switches = 0;  // measured
  // The product is measured for about so long at most, and settles for a tenth of it; absent: without a
  // bound. The naive way takes as long as the product did.
  std::optional<Duration> longest;
  std::size_t laps = 4;  // through all states, in a stretch
  LoaderPlace loader = LoaderPlace::other_core;
  std::function<void(double share)> progress;
};

// The CPUs of the processor that serves.
[[nodiscard]] const std::vector<int>& serving_cpus(const Course& course);

// The product.
[[nodiscard]] Result<Recording> run_product(const Course& course);

// The naive way: one thread serves, and loads and destroys engines between two frames. The same frames at
// the same ticks, the same queue (runtime/frames/dispatcher.hpp), and the plans that the product had while it
// was measured, at the same times (Recording::plans): it ends with them, or with the plan after the course's
// switches. Errors: there is no plan.
[[nodiscard]] Result<Recording> run_naive(const Course& course, const Recording& product);

// The product with one state throughout, while its loader loads, warms and destroys engines without a
// pause in every other stretch of time, on the core that serves.
struct LoadPairs {
  Recording recording;
  std::vector<Window> without;  // stretches in turn: without, with, without, with, ...
  std::vector<Window> with;
  std::size_t loads = 0;
};
[[nodiscard]] Result<LoadPairs> run_beside_loads(const Course& course, std::size_t pairs, Duration stretch);

}  // namespace saccade::bench
