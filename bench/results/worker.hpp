// A thread that stands for a worker: on the serving CPU, it hands over results as a worker does.
// Threads: blocks the calling one, which becomes the worker. Errors: the engine cannot be loaded or fails.
#pragma once

#include <memory>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "bench/results/experiments.hpp"
#include "runtime/engines/engine.hpp"
#include "runtime/run/result_listener.hpp"

namespace saccade::bench {

// What a worker does before it hands over: an inference of the most accurate variant of the scenario's first
// task, on a black picture.
[[nodiscard]] Result<std::unique_ptr<runtime::Engine>> worker_engine(const ResultsScenario& scenario);

// Calls the listener `per_second` times a second with a result of the scenario's first task, each time after
// an inference of `engine`; null: after the sleep. Returns how many microseconds each call took.
[[nodiscard]] Result<std::vector<double>> hand_over(const ResultsScenario& scenario, Duration length,
                                                    double per_second, runtime::Engine* engine,
                                                    runtime::ResultListener& listener);

}  // namespace saccade::bench
