#include "service/fleet/reported_corrections.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace saccade::service {
namespace {

constexpr double kStep = 0.05;
constexpr Duration kWorse = std::chrono::minutes(1);
constexpr Duration kBetter = std::chrono::minutes(10);

double rounded(double correction) { return std::max(1.0, std::round(correction / kStep) * kStep); }

}  // namespace

bool ReportedCorrections::follow(const std::vector<double>& measured, Duration at) {
  if (at < last_) last_ = at;  // the run began
  bool worse = false;
  bool better = false;
  for (std::size_t p = 0; p < measured.size(); ++p) {
    const double before = p < reported_.size() ? reported_[p] : 1.0;
    worse = worse || measured[p] >= before + kStep;
    better = better || (before > 1.0 && measured[p] <= before - kStep);
  }
  const bool due = (worse && at - last_ >= kWorse) || (better && at - last_ >= kBetter);
  if (!due) return false;
  reported_.clear();
  std::transform(measured.begin(), measured.end(), std::back_inserter(reported_), rounded);
  last_ = at;
  return true;
}

}  // namespace saccade::service
