#include "runtime/real/device_watch.hpp"

#include <string>
#include <utility>

#include "runtime/machine/resident_memory.hpp"

namespace saccade::runtime {
namespace {

constexpr const char* kMeterLost = "the energy meter cannot be read any more";

}  // namespace

DeviceWatch::DeviceWatch(std::unique_ptr<EnergyMeter> meter, Conductor& conductor)
    : conductor_(conductor), energy_(std::move(meter)) {}

void DeviceWatch::open() { throttled_before_ = own_throttling(); }

void DeviceWatch::start(TimePoint now) {
  if (!energy_.start(now)) report(now, kMeterLost);
}

void DeviceWatch::look(TimePoint now) {
  if (conductor_.started()) read_energy(now);
  const auto warning = memory_.look(read_memory_left(), resident_memory());
  if (warning) report(now, *warning);
}

void DeviceWatch::read_energy(TimePoint now) {
  if (!energy_.read(now)) report(now, kMeterLost);
}

void DeviceWatch::complete(RunSummary& summary) const {
  if (auto measured = energy_.reading()) {
    measured->power.reset();
    summary.energy = std::move(measured);
  }
  if (const auto throttled = own_throttling(); throttled && throttled_before_) {
    summary.outside.throttled = throttled->count - throttled_before_->count;
    summary.outside.throttled_time = to_seconds(throttled->time - throttled_before_->time);
  }
}

void DeviceWatch::report(TimePoint now, const std::string& fault) {
  conductor_.tell(now, {EventKind::fault, "", fault});
}

}  // namespace saccade::runtime
