#include "service/fleet/reported_corrections.hpp"

#include <algorithm>
#include <cmath>

namespace saccade::service {
namespace {

constexpr double kStep = 0.05;
constexpr double kSteps = 20.0;  // in 1
constexpr Duration kWorse = std::chrono::minutes(1);
constexpr Duration kBetter = std::chrono::minutes(10);
constexpr Duration kIdle = std::chrono::minutes(1);

// Whether it has been so for that long.
bool lasts(std::optional<Duration>& since, bool now, Duration at, Duration least) {
  if (!now) since.reset();
  if (now) since = std::min(since.value_or(at), at);
  return now && at - *since >= least;
}

}  // namespace

bool ReportedCorrections::follow(Processor& processor, double measured, Duration at) {
  const double before = processor.reported;
  const bool worse = lasts(processor.worse, measured >= before + kStep, at, kWorse);
  const bool better = lasts(processor.better, before > 1.0 && measured <= before - kStep, at, kBetter);
  if (!worse && !better) return false;
  processor.reported = std::max(1.0, std::round(measured * kSteps) / kSteps);
  processor.worse.reset();
  processor.better.reset();
  return processor.reported != before;
}

bool ReportedCorrections::follow(const std::vector<double>& measured, const std::vector<Duration>& busy,
                                 Duration at) {
  const std::size_t count = std::min(measured.size(), busy.size());
  if (processors_.size() < count) processors_.resize(count);
  bool changed = false;
  for (std::size_t p = 0; p < count; ++p) {
    Processor& processor = processors_[p];
    if (busy[p] != processor.busy || at < processor.busy_at) processor.busy_at = at;
    processor.busy = busy[p];
    const bool idle = at - processor.busy_at >= kIdle;
    changed = follow(processor, idle ? 1.0 : measured[p], at) || changed;
  }
  return changed;
}

std::vector<double> ReportedCorrections::reported() const {
  std::vector<double> corrections;
  for (const Processor& processor : processors_) corrections.push_back(processor.reported);
  return corrections;
}

}  // namespace saccade::service
