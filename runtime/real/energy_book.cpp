#include "runtime/real/energy_book.hpp"

namespace saccade::runtime {
namespace {

constexpr Duration kWindow = std::chrono::seconds(1);  // that the power is the mean of

}  // namespace

bool EnergyBook::start(TimePoint now) {
  if (!read(now)) return false;
  const Lock lock(mutex_);
  if (samples_.empty()) return true;
  samples_.erase(samples_.begin(), samples_.end() - 1);
  at_start_ = samples_.front().total;
  return true;
}

bool EnergyBook::read(TimePoint now) {
  if (!meter_) return true;
  const std::optional<Joules> total = meter_->total(now);
  const Lock lock(mutex_);
  name_ = meter_->name();
  if (!total) {
    meter_.reset();
    samples_.clear();
    return false;
  }
  samples_.push_back({now, *total});
  while (samples_.size() > 2 && samples_[1].at <= now - kWindow) samples_.pop_front();
  return true;
}

std::optional<EnergyReading> EnergyBook::reading() const {
  const Lock lock(mutex_);
  if (samples_.empty()) return std::nullopt;
  const Sample& first = samples_.front();
  const Sample& last = samples_.back();
  EnergyReading reading{last.total - at_start_, std::nullopt, EnergySource::measured, name_};
  if (last.at > first.at) {
    reading.power = Watts((last.total - first.total).value() / to_seconds(last.at - first.at).value());
  }
  return reading;
}

}  // namespace saccade::runtime
