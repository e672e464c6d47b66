// The few figures that a list of values is told by. Threads: pure.
#pragma once

#include <cstddef>
#include <vector>

namespace saccade::bench {

struct Spread {
  std::size_t n = 0;
  double mean = 0.0;
  double least = 0.0;
  double p10 = 0.0;
  double median = 0.0;
  double p90 = 0.0;
  double p99 = 0.0;
  double most = 0.0;
};
// All 0 when there are no values.
[[nodiscard]] Spread spread_of(std::vector<double> values);

// 100 points of the sorted values, from the least to the most, for a curve "share of steps below".
struct Curve {
  std::vector<double> share;  // 0 to 1
  std::vector<double> value;
};
[[nodiscard]] Curve sorted_curve(std::vector<double> values);

}  // namespace saccade::bench
