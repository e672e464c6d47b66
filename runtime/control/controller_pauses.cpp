// Pauses between loads on one device, whose inferences they disturb.
#include <algorithm>

#include "runtime/control/controller.hpp"
#include "runtime/control/executable.hpp"

namespace saccade::runtime {

void Controller::note_pauses() {
  for (ProcessorIndex p = 0; p < options_.load_pauses.size() && p < places_.size(); ++p) {
    if (!places_[p]) continue;
    if (pauses_.size() <= *places_[p]) pauses_.resize(*places_[p] + 1);
    Duration& least = pauses_[*places_[p]].least;
    least = std::max(least, to_duration(options_.load_pauses[p]));
  }
}

void Controller::load_has_ended(const EngineSlot& slot) {
  for (const std::size_t device : slot.memories) {
    if (device < pauses_.size()) pauses_[device].until = now_ + pauses_[device].least;
  }
}

Duration Controller::pause_left(TaskIndex task, std::size_t variant) {
  if (pauses_.empty()) return Duration(0);
  const profiles::Variant& of = wanted_.tasks[task].profiles->variants[variant];
  TimePoint until = now_;
  for (const std::size_t device : devices_of(of, wanted_, places_)) {
    if (device < pauses_.size() && serves_on(device)) until = std::max(until, pauses_[device].until);
  }
  if (until > now_) paused_until_ = std::min(paused_until_.value_or(until), until);
  return until - now_;
}

bool Controller::serves_on(std::size_t device) const {
  return std::any_of(runs_.begin(), runs_.end(), [&](const TaskRun& run) {
    if (!run.active) return false;
    const DevicePlaces& devices = rack_.at(*run.active).memories;
    return std::find(devices.begin(), devices.end(), device) != devices.end();
  });
}

}  // namespace saccade::runtime
