// A thread that stands for a worker: on the serving CPU, it hands over results as a worker does.
// Threads: blocks the calling one, which becomes the worker. Errors: none.
#pragma once

#include <vector>

#include "base/clock.hpp"
#include "bench/results/experiments.hpp"
#include "runtime/run/result_listener.hpp"

namespace saccade::bench {

// Calls the listener `per_second` times a second with a result of the scenario's first task; returns how many
// microseconds each call took.
[[nodiscard]] std::vector<double> hand_over(const ResultsScenario& scenario, Duration length,
                                            double per_second, runtime::ResultListener& listener);

}  // namespace saccade::bench
