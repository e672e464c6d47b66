#include "runtime/frames/drift_filter.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"

namespace saccade::runtime {
namespace {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

constexpr std::size_t kStep = 20;  // frames beyond the band in a row that make a step
constexpr std::size_t kMaybe = 5;  // more of them may become one

// How many of the latest frames in a row are beyond the band around the window's median, on one side.
template <class Samples>
std::size_t frames_beyond(const Samples& samples, double band) {
  if (samples.sorted.empty()) return 0;
  const double median = samples.median();
  const double newest = samples.last[samples.last.size() - 1].ratio;
  std::size_t beyond = 0;
  for (std::size_t i = samples.last.size(); i-- > 0; ++beyond) {
    const double away = samples.last[i].ratio / median - 1.0;
    if (std::abs(away) <= band || (away > 0.0) != (newest > median)) break;
  }
  return beyond;
}

}  // namespace

DriftFilter::DriftFilter(std::size_t processor_count) : processors_(processor_count) {}

void DriftFilter::sample(ProcessorIndex processor, EngineKey engine, Duration measured, Duration profiled,
                         TimePoint now) {
  SACCADE_CHECK(processor < processors_.size() && profiled.count() > 0);
  const double ratio = static_cast<double>(measured.count()) / static_cast<double>(profiled.count());
  auto samples = std::find_if(engines_.begin(), engines_.end(), [&](const Samples& s) {
    return s.engine == engine && s.processor == processor;
  });
  if (samples == engines_.end()) {
    samples = engines_.insert(samples, Samples{engine, processor, {}, {}});
    samples->sorted.reserve(kWindow + 1);
  }
  std::vector<double>& sorted = samples->sorted;
  Ring<Samples::One>& last = samples->last;
  last.push_back({ratio, now});
  sorted.insert(std::upper_bound(sorted.begin(), sorted.end(), ratio), ratio);
  while (last.size() > kWindow || (last.size() > kAtLeast && last.front().at < now - kYoung)) {
    sorted.erase(std::lower_bound(sorted.begin(), sorted.end(), last.pop_front().ratio));
  }
  if (frames_beyond(*samples, kBand) < kStep) return;
  while (last.size() > kStep) {  // what was before the step says nothing any more
    sorted.erase(std::lower_bound(sorted.begin(), sorted.end(), last.pop_front().ratio));
  }
}

void DriftFilter::forget(EngineKey engine) {
  std::erase_if(engines_, [&](const Samples& samples) { return samples.engine == engine; });
}

std::optional<double> DriftFilter::Samples::mean(TimePoint now) const {
  if (last.size() < kAtLeast) return std::nullopt;
  const double most = kMostOfMedian * median();
  double sum = 0.0;
  std::size_t count = 0;
  for (std::size_t i = last.size(); i-- > 0 && last[i].at >= now - kFresh;) {
    sum += std::min(last[i].ratio, most);
    ++count;
  }
  return count > 0 ? std::optional(sum / static_cast<double>(count)) : std::nullopt;
}

double DriftFilter::Load::correction(double median) const {
  return profiled > 0.0 ? std::clamp(taken / profiled, median * (1.0 - kBand), median * (1.0 + kBand))
                        : median;
}

DriftFilter::Load DriftFilter::load(ProcessorIndex processor, std::span<const Asked> asked, double median,
                                    TimePoint now) const {
  Load load;
  for (const Asked& each : asked) {
    const auto samples = std::find_if(engines_.begin(), engines_.end(), [&](const Samples& s) {
      return s.engine == each.engine && s.processor == processor;
    });
    load.profiled += each.share;
    load.taken += each.share * (samples == engines_.end() ? median : samples->mean(now).value_or(median));
  }
  return load;
}

std::optional<double> DriftFilter::update(ProcessorIndex processor, std::span<const Asked> asked,
                                          double capacity, TimePoint now) {
  State& state = processors_.at(processor);
  const std::optional<double> median = measured(processor);
  std::optional<double> factor;
  Duration hold = kHold;
  if (median && std::abs(*median / state.correction - 1.0) > kBand) factor = median;
  if (const Load all = median ? load(processor, asked, *median, now) : Load{}; all.taken > capacity) {
    const double taken = all.correction(*median);
    if (taken > state.correction * (1.0 + kLeast)) {
      factor = taken;
      hold = kOverloadHold;
    }
  }
  if (!factor) {
    state.away_since.reset();
    return std::nullopt;
  }
  const bool above = *factor > state.correction;
  if (!state.away_since || above != state.above) {
    state.away_since = now;
    state.above = above;
  }
  if (now - *state.away_since < hold) return std::nullopt;
  state.away_since.reset();
  state.correction = *factor;
  return factor;
}

double DriftFilter::revised(ProcessorIndex processor, std::span<const Asked> asked, TimePoint now) const {
  const double in_force = correction(processor);
  const std::optional<double> median = measured(processor);
  if (!median) return in_force;
  for (const Samples& samples : engines_) {
    if (samples.processor != processor) continue;
    if (const std::size_t beyond = frames_beyond(samples, kBand); beyond > kMaybe && beyond < kStep) {
      return in_force;  // a step is half seen: a plan made with the half would be replaced by the next
    }
  }
  const double factor = load(processor, asked, *median, now).correction(*median);
  return std::abs(factor / in_force - 1.0) <= kLeast ? in_force : factor;
}

std::optional<double> DriftFilter::revise(ProcessorIndex processor, std::span<const Asked> asked,
                                          Direction direction, TimePoint now) {
  State& state = processors_.at(processor);
  const double factor = revised(processor, asked, now);
  if (factor == state.correction || (direction == Direction::up && factor < state.correction)) {
    return std::nullopt;
  }
  state = {factor, std::nullopt, false};
  return factor;
}

double DriftFilter::correction(ProcessorIndex processor) const {
  return processors_.at(processor).correction;
}

std::optional<double> DriftFilter::residual(EngineKey engine) const {
  for (const Samples& samples : engines_) {
    if (samples.engine == engine && samples.sorted.size() >= kAtLeast) {
      return samples.median() / processors_[samples.processor].correction;
    }
  }
  return std::nullopt;
}

std::optional<double> DriftFilter::measured(ProcessorIndex processor) const {
  std::vector<double> factors;
  for (const Samples& samples : engines_) {
    if (samples.processor == processor && samples.sorted.size() >= kAtLeast) {
      factors.push_back(samples.median());
    }
  }
  if (factors.empty()) return std::nullopt;
  return median(std::move(factors));
}

}  // namespace saccade::runtime
