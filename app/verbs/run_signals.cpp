#include "app/verbs/run_signals.hpp"

#include <pthread.h>

#include <cstdlib>
#include <utility>

#include "base/check.hpp"

namespace saccade::app {
namespace {

constexpr timespec kLook{0, 100'000'000};  // how soon the watcher notices that the run is over
constexpr int kExitBySignal = 128;

sigset_t signal_set(bool with_hangup) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  if (with_hangup) sigaddset(&set, SIGHUP);
  return set;
}

}  // namespace

RunSignals::RunSignals() {
  const sigset_t set = signal_set(true);
  pthread_sigmask(SIG_BLOCK, &set, &before_);
}

void RunSignals::stop_watching() {
  done_ = true;
  if (thread_.joinable()) thread_.join();
}

RunSignals::~RunSignals() {
  stop_watching();
  // The run is over: a reload that nobody will carry out any more, or one more wish to end, is no reason
  // to die before its summary is written.
  const sigset_t late = signal_set(true);
  constexpr timespec kNow{0, 0};
  while (sigtimedwait(&late, nullptr, &kNow) >= 0) continue;
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void RunSignals::watch(std::function<void()> on_stop, std::function<void()> on_reload) {
  SACCADE_CHECK(!thread_.joinable());
  thread_ = std::thread([this, on_stop = std::move(on_stop), on_reload = std::move(on_reload)] {
    bool asked = false;
    while (!done_) {
      const sigset_t set = signal_set(take_reloads_);
      siginfo_t info{};
      const int signal = sigtimedwait(&set, &info, &kLook);
      if (signal < 0) continue;
      const bool terminal_gone = signal == SIGHUP && info.si_code == SI_KERNEL;
      if (signal == SIGHUP && !terminal_gone) {
        on_reload();
        continue;
      }
      if (std::exchange(asked, true) && !terminal_gone) std::_Exit(kExitBySignal + signal);
      on_stop();
    }
  });
}

SignalsTerminate::SignalsTerminate() {
  const sigset_t set = signal_set(false);
  pthread_sigmask(SIG_UNBLOCK, &set, &before_);
}

SignalsTerminate::~SignalsTerminate() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

}  // namespace saccade::app
