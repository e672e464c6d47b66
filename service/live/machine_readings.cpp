#include "service/live/machine_readings.hpp"

#include "runtime/machine/resident_memory.hpp"

namespace saccade::service {

MachineReadings read_machine() { return {runtime::proportional_memory(), runtime::temperatures()}; }

ReadingsKeeper::~ReadingsKeeper() {
  {
    const Lock lock(mutex_);
    ends_ = true;
  }
  wake_.notify_one();
  if (reader_.joinable()) reader_.join();
}

MachineReadings ReadingsKeeper::newest() {
  {
    const Lock lock(mutex_);
    const TimePoint now = clock_.now();
    if (read_at_ && now - *read_at_ < kOld) {
      if (now - *read_at_ >= kFresh && !wanted_) {
        if (!reader_.joinable()) reader_ = std::thread([this] { read_when_wanted(); });
        wanted_ = true;
        wake_.notify_one();
      }
      return kept_;
    }
  }
  return read_now();
}

MachineReadings ReadingsKeeper::read_now() {
  const TimePoint began = clock_.now();
  MachineReadings fresh = read_();
  const Lock lock(mutex_);
  if (read_at_ && *read_at_ > began) return kept_;
  kept_ = fresh;
  read_at_ = began;
  return fresh;
}

void ReadingsKeeper::read_when_wanted() {
  while (true) {
    {
      const Lock lock(mutex_);
      wake_.wait(mutex_, [this]() SACCADE_REQUIRES(mutex_) { return wanted_ || ends_; });
      if (ends_) return;
    }
    (void)read_now();
    const Lock lock(mutex_);
    wanted_ = false;
  }
}

}  // namespace saccade::service
