#include "service/live/machine_readings.hpp"

#include <utility>

#include "runtime/machine/resident_memory.hpp"

namespace saccade::service {

MachineReadings read_machine() { return {runtime::proportional_memory(), runtime::temperatures()}; }

ReadingsKeeper::~ReadingsKeeper() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  wake_.notify_all();
  if (reader_.joinable()) reader_.join();
}

MachineReadings ReadingsKeeper::newest() {
  {
    const std::lock_guard lock(mutex_);
    const TimePoint now = clock_.now();
    if (read_at_ && now - *read_at_ < kOld) {
      if (now - *read_at_ >= kFresh && !std::exchange(wanted_, true)) {
        if (!reader_.joinable()) reader_ = std::thread([this] { read_when_wanted(); });
        wake_.notify_all();
      }
      return kept_;
    }
  }
  MachineReadings fresh = read_();
  const std::lock_guard lock(mutex_);
  kept_ = fresh;
  read_at_ = clock_.now();
  return fresh;
}

void ReadingsKeeper::read_when_wanted() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return wanted_ || ends_; });
    if (ends_) return;
    lock.unlock();
    MachineReadings fresh = read_();
    lock.lock();
    kept_ = std::move(fresh);
    read_at_ = clock_.now();
    wanted_ = false;
  }
}

}  // namespace saccade::service
