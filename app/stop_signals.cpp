#include "app/stop_signals.hpp"

#include <pthread.h>

#include <cstdlib>
#include <utility>

#include "base/check.hpp"

namespace saccade::app {
namespace {

constexpr timespec kLook{0, 100'000'000};  // how soon the watcher notices that the run is over
constexpr int kExitBySignal = 128;

sigset_t stop_set() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

}  // namespace

StopSignals::StopSignals() {
  const sigset_t set = stop_set();
  pthread_sigmask(SIG_BLOCK, &set, &before_);
}

void StopSignals::stop_watching() {
  done_ = true;
  if (thread_.joinable()) thread_.join();
}

StopSignals::~StopSignals() {
  stop_watching();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void StopSignals::watch(std::function<void()> on_stop) {
  SACCADE_CHECK(!thread_.joinable());
  thread_ = std::thread([this, on_stop = std::move(on_stop)] {
    const sigset_t set = stop_set();
    bool asked = false;
    while (!done_) {
      const int signal = sigtimedwait(&set, nullptr, &kLook);
      if (signal < 0) continue;
      if (std::exchange(asked, true)) std::_Exit(kExitBySignal + signal);
      on_stop();
    }
  });
}

}  // namespace saccade::app
