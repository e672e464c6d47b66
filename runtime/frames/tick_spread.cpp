#include "runtime/frames/tick_spread.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace saccade::runtime {
namespace {

constexpr int kCandidates = 32;   // evenly over the time in which the first tick may come
constexpr int kMostMultiple = 8;  // of a common period
constexpr double kRateTolerance = 1e-6;

// To the nearest of moments that repeat with this period.
Duration distance(Duration from_one, Duration period) {
  Duration past = from_one % period;
  if (past < Duration(0)) past += period;
  return std::min(past, period - past);
}

struct Neighbour {
  TimePoint next;
  Duration common;
};

// What is near weighs most; that it stays finite lets more tasks than candidates share the moments evenly.
double repulsion(Duration away, Duration range) {
  constexpr double kSoftness = 1.0 / 64;
  return 1.0 / (static_cast<double>(away.count()) / static_cast<double>(range.count()) + kSoftness);
}

}  // namespace

Duration common_period(Duration one, Duration other) {
  for (int divisor = 1; divisor <= kMostMultiple; ++divisor) {
    const double times = static_cast<double>(one.count()) * divisor / static_cast<double>(other.count());
    const double multiple = std::round(times);
    if (multiple < 1.0 || multiple > kMostMultiple || std::abs(times - multiple) > kRateTolerance * times)
      continue;
    return other / divisor;
  }
  return Duration(0);
}

Duration spread_delay(Duration period, TimePoint earliest, const std::vector<Ticks>& others) {
  std::vector<Neighbour> neighbours;
  neighbours.reserve(others.size());
  for (const Ticks& each : others) {
    const Duration common = common_period(period, each.period);
    if (common.count() > 0) neighbours.push_back({each.next, common});
  }
  const Duration range = std::min(period, kMostSpread);
  Duration best{0};
  std::optional<double> least;
  for (int i = 0; i < kCandidates && !neighbours.empty(); ++i) {
    const Duration delay = range * i / kCandidates;
    double sum = 0.0;
    for (const Neighbour& each : neighbours)
      sum += repulsion(distance(earliest + delay - each.next, each.common), range);
    if (least && sum >= *least * (1.0 - kRateTolerance)) continue;
    least = sum;
    best = delay;
  }
  return best;
}

}  // namespace saccade::runtime
