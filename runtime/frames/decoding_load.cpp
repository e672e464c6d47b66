#include "runtime/frames/decoding_load.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace saccade::runtime {
namespace {
constexpr double kNone = 0.005;  // of a CPU: as good as nothing
}  // namespace

bool DecodingPlaces::any_shared() const {
  return cpus > 0 && std::any_of(processors.begin(), processors.end(),
                                 [](const Processor& each) { return each.floating || each.shared > 0.0; });
}

double DecodingPlaces::load(ProcessorIndex processor, double total) const {
  const Processor& of = processors.at(processor);
  if (cpus == 0 || (!of.floating && of.shared <= 0.0)) return 0.0;
  const auto count = static_cast<double>(cpus);
  double load = total / count * (of.floating ? 1.0 : of.shared);
  const bool own_shared = std::any_of(processors.begin(), processors.end(),
                                      [](const Processor& each) { return each.shared > 0.0; });
  if (of.floating && !own_shared) {
    const auto floating = static_cast<double>(std::count_if(
        processors.begin(), processors.end(), [](const Processor& each) { return each.floating; }));
    load = std::max(0.0, total - std::max(0.0, count - floating)) / floating;
  }
  return std::max(0.0, load - std::max(0.0, 1.0 - of.capacity));
}

double decoding_charge(double capacity, Seconds guard, double correction, double measured) {
  const double free = capacity - guard.value();
  const double taken = std::min(measured, (1.0 - kLeftByDecoding) * free);
  if (taken <= 0.0) return 0.0;
  // (free - charge) / correction is then the smaller of free / correction and free - taken, where the
  // correction is above 1.
  return std::clamp(free - correction * (free - taken), 0.0, taken);
}

DecodingLoad::DecodingLoad(DecodingPlaces places)
    : places_(std::move(places)), shares_(places_.processors.size(), 0.0) {}

bool DecodingLoad::due(TimePoint now) const {
  return places_.any_shared() && (!sampled_ || now - *sampled_ >= kSample);
}

std::vector<DecodingLoad::Change> DecodingLoad::look(std::span<const std::optional<Duration>> times,
                                                     TimePoint now) {
  if (!due(now)) return {};
  sample(times, sampled_ ? now - *sampled_ : Duration(0));
  sampled_ = now;
  if (!settle(now)) return {};
  std::vector<Change> changes;
  for (ProcessorIndex p = 0; p < shares_.size(); ++p) {
    const double share = places_.load(p, in_force_);
    if (share == std::exchange(shares_[p], share)) continue;
    changes.push_back({p, share});
  }
  return changes;
}

void DecodingLoad::sample(std::span<const std::optional<Duration>> times, Duration since) {
  cameras_.resize(times.size());
  for (std::size_t task = 0; task < times.size(); ++task) {
    std::optional<Camera>& camera = cameras_[task];
    if (!times[task]) {
      camera.reset();
      continue;
    }
    const Duration taken = *times[task] - (camera ? camera->taken : *times[task]);
    if (!camera || taken.count() < 0 || since.count() <= 0) {
      camera = Camera{*times[task], Duration(0), 0.0};
      continue;
    }
    camera->taken = *times[task];
    camera->watched = std::min(camera->watched + since, kMemory);
    const double share = static_cast<double>(taken.count()) / static_cast<double>(since.count());
    const double weight =
        std::min(1.0, static_cast<double>(since.count()) / static_cast<double>(camera->watched.count()));
    camera->mean += (share - camera->mean) * weight;
  }
}

double DecodingLoad::sum() const {
  double sum = 0.0;
  for (const std::optional<Camera>& camera : cameras_) sum += camera ? camera->mean : 0.0;
  return sum;
}

bool DecodingLoad::settle(TimePoint now) {
  const double measured = sum();
  const double away = measured - in_force_;
  const bool none = measured < kNone;
  if (none ? in_force_ == 0.0 : std::abs(away) <= std::max(kBand, kRelative * in_force_)) {
    away_since_.reset();
    return false;
  }
  if (!away_since_ || above_ != (away > 0.0)) {
    away_since_ = now;
    above_ = away > 0.0;
  }
  if (now - *away_since_ < (above_ ? kHold : patience_)) return false;
  if (above_ && fell_) {
    const bool soon = now - *fell_ < 2 * patience_;
    patience_ = soon ? std::min(2 * patience_, kMostPatience) : kPatience;
    fell_.reset();
  } else if (!above_) {
    fell_ = now;
  }
  in_force_ = std::round(measured * 100.0) / 100.0;  // whole percent: what is displayed is what counts
  away_since_.reset();
  return true;
}

}  // namespace saccade::runtime
