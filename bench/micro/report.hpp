// What every report of a bench says beside its figures.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace saccade::bench {

// Median, 99th percentile and maximum of single runs, as counters of a benchmark.
inline void report_percentiles(benchmark::State& state, std::vector<double> milliseconds) {
  if (milliseconds.empty()) return;
  std::sort(milliseconds.begin(), milliseconds.end());
  const auto at = [&](double share) {
    return milliseconds[static_cast<std::size_t>(share * static_cast<double>(milliseconds.size() - 1))];
  };
  state.counters["median_ms"] = at(0.5);
  state.counters["p99_ms"] = at(0.99);
  state.counters["max_ms"] = at(1.0);
}

}  // namespace saccade::bench
