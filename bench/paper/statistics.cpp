#include "bench/paper/statistics.hpp"

#include <algorithm>
#include <numeric>

#include "bench/report.hpp"

namespace saccade::bench {

Spread spread_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return {values.size(),          sum / static_cast<double>(values.size()),
          values.front(),         quantile(values, 0.1),
          quantile(values, 0.5),  quantile(values, 0.9),
          quantile(values, 0.99), values.back()};
}

Curve sorted_curve(std::vector<double> values) {
  constexpr int kPoints = 100;
  Curve curve;
  if (values.empty()) return curve;
  std::sort(values.begin(), values.end());
  for (int i = 0; i <= kPoints; ++i) {
    curve.share.push_back(static_cast<double>(i) / kPoints);
    curve.value.push_back(quantile(values, curve.share.back()));
  }
  return curve;
}

}  // namespace saccade::bench
