#include "runtime/real/stall_probe.hpp"

#include "runtime/real/thread_settings.hpp"

namespace saccade::runtime {
namespace {

constexpr Duration kPeriod = std::chrono::milliseconds(5);
constexpr Duration kStall = std::chrono::milliseconds(20);

}  // namespace

StallProbe::StallProbe(const Clock& clock, std::vector<int> cpus,
                       std::function<void(TimePoint, TimePoint)> report)
    : clock_(clock), cpus_(std::move(cpus)), report_(std::move(report)), thread_([this] { run(); }) {}

StallProbe::~StallProbe() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    stop_.notify_one();
  }
  thread_.join();
}

void StallProbe::run() {
  name_thread("stall-probe");
  pin_to(cpus_);
  TimePoint last = clock_.now();
  std::unique_lock lock(mutex_);
  while (!stop_.wait_for(lock, kPeriod, [&] { return stopping_; })) {
    const TimePoint now = clock_.now();
    if (now - last > kStall) report_(last, now);
    last = now;
  }
}

}  // namespace saccade::runtime
