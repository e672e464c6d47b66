// What this process and its machine measure of themselves, for status and metrics: the process's memory and
// the temperatures. Reading takes milliseconds (the kernel walks through all pages of the process), during
// which the thread that serves requests would answer nobody: who asks often gets the newest value, and a
// thread of the keeper's own reads meanwhile.
// Threads: functions and newest() any. Errors: what the system does not report is absent.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "base/quantity.hpp"
#include "runtime/machine/thermals.hpp"

namespace saccade::service {

struct MachineReadings {
  std::optional<Bytes> memory;  // proportional set size of this process
  std::vector<runtime::Temperature> temperatures;
};

[[nodiscard]] MachineReadings read_machine();

class ReadingsKeeper {
 public:
  static constexpr Duration kFresh = std::chrono::seconds(1);
  static constexpr Duration kOld = std::chrono::seconds(3);

  // The clock must outlive the keeper.
  explicit ReadingsKeeper(const Clock& clock, std::function<MachineReadings()> read = read_machine)
      : clock_(clock), read_(std::move(read)) {}
  ~ReadingsKeeper();
  ReadingsKeeper(const ReadingsKeeper&) = delete;
  ReadingsKeeper& operator=(const ReadingsKeeper&) = delete;

  // At most kOld old. One that is older than kFresh is returned too, and the next one is being read from then
  // on; reads on the caller's thread only if there is none that is new enough.
  [[nodiscard]] MachineReadings newest();

 private:
  MachineReadings read_now();  // and keeps it, unless a newer one is there
  void read_when_wanted();

  const Clock& clock_;
  const std::function<MachineReadings()> read_;
  Mutex mutex_;
  Condition wake_;
  MachineReadings kept_ SACCADE_GUARDED_BY(mutex_);
  std::optional<TimePoint> read_at_ SACCADE_GUARDED_BY(mutex_);  // when that began; absent: nothing was read
  bool wanted_ SACCADE_GUARDED_BY(mutex_) = false;
  bool ends_ SACCADE_GUARDED_BY(mutex_) = false;
  // From the first time on that something is wanted; it inherits the asker's CPUs. Made under the mutex.
  std::thread reader_;
};

}  // namespace saccade::service
