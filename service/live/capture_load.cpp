#include "service/live/capture_load.hpp"

#include <utility>

namespace saccade::service {
namespace {
constexpr Duration kSampleEvery = std::chrono::seconds(1);
constexpr Duration kCaptureWindow = std::chrono::seconds(10);
}  // namespace

void CaptureLoad::runs_on(std::size_t cpus) {
  const Lock lock(mutex_);
  cpus_ = cpus;
}

void CaptureLoad::add(const runtime::RunStatus& status) {
  const Lock lock(mutex_);
  if (!samples_.empty() && status.at - samples_.back().at < kSampleEvery) return;
  Sample now{status.at, {}};
  for (const runtime::TaskStatus& task : status.tasks) {
    if (task.capture) now.times.emplace(task.index, task.capture->processor_time);
  }
  busy_.reset();
  if (!samples_.empty() && cpus_ > 0) {
    const Sample& before = samples_.front();
    Duration taken{0};
    for (const auto& [task, time] : now.times) {  // one that is new, or went back, is another camera's
      const auto earlier = before.times.find(task);
      if (earlier != before.times.end() && time > earlier->second) taken += time - earlier->second;
    }
    const double available = to_seconds(status.at - before.at).value() * static_cast<double>(cpus_);
    busy_ = Busy{to_seconds(taken).value() / available, cpus_};
  }
  samples_.push_back(std::move(now));
  while (samples_.size() > 1 && status.at - samples_[1].at >= kCaptureWindow) samples_.pop_front();
}

std::optional<CaptureLoad::Busy> CaptureLoad::busy() const {
  const Lock lock(mutex_);
  return busy_;
}

}  // namespace saccade::service
