#include "runtime/real/stall_probe.hpp"

#include "runtime/machine/cpu_accounts.hpp"
#include "runtime/machine/thread_settings.hpp"

namespace saccade::runtime {
namespace {

constexpr Duration kPeriod = std::chrono::milliseconds(5);
constexpr Duration kLate = std::chrono::milliseconds(10);  // below a hold that counts
constexpr Duration kAskAll = std::chrono::milliseconds(100);

}  // namespace

StallProbe::StallProbe(const Clock& clock, int cpu, std::function<void(int, const CpuHold&)> report)
    : clock_(clock), cpu_(cpu), report_(std::move(report)), thread_([this] { run(); }) {}

StallProbe::~StallProbe() {
  {
    const Lock lock(mutex_);
    stopping_ = true;
    stop_.notify_one();
  }
  thread_.join();
}

void StallProbe::run() {
  name_thread("stall-probe");
  pin_to({cpu_});
  CpuAccounts accounts(cpu_);
  OutsideTime outside;
  TimePoint last = clock_.now();
  TimePoint asked = last;
  (void)outside.add(accounts.read(last, true));
  Lock lock(mutex_);
  while (!stop_.wait_for(mutex_, kPeriod, [&]() SACCADE_REQUIRES(mutex_) { return stopping_; })) {
    const TimePoint now = clock_.now();
    const bool all = now - last > kLate || now - asked > kAskAll;
    if (all) asked = now;
    last = now;
    if (const auto hold = outside.add(accounts.read(now, all))) report_(cpu_, *hold);
  }
}

}  // namespace saccade::runtime
