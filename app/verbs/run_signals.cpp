#include "app/verbs/run_signals.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

#include "base/check.hpp"

namespace saccade::app {
namespace {

constexpr std::array<int, 3> kHandled{SIGINT, SIGTERM, SIGHUP};
constexpr timespec kLook{0, 100'000'000};  // how soon the watcher notices that the run is over
constexpr int kExitBySignal = 128;
constexpr unsigned char kByKernel = 0x80;

// From the handler to the watcher. Never closed: a handler on another thread may still be about to write
// after the last RunSignals is gone, and must not write into whatever has the number by then.
struct SignalPipe {
  std::array<int, 2> ends{-1, -1};
  SignalPipe() { SACCADE_CHECK(::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) == 0); }
};

const SignalPipe& signal_pipe() {
  static const SignalPipe pipe;
  return pipe;
}

std::atomic<int> passes_to{-1};  // where the handler writes; -1: what comes is forgotten

// On any thread: a byte with the signal, and whether the kernel sent it.
extern "C" void pass_on(int signal, siginfo_t* info, void* /*context*/) {
  const int error = errno;
  const auto word = static_cast<unsigned char>(signal | (info->si_code == SI_KERNEL ? kByKernel : 0));
  // A pipe that is full has signals enough.
  [[maybe_unused]] const ssize_t written = ::write(passes_to.load(), &word, 1);
  errno = error;
}

sigset_t set_of_handled() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : kHandled) sigaddset(&set, signal);
  return set;
}

}  // namespace

RunSignals::RunSignals() {
  const sigset_t set = set_of_handled();
  pthread_sigmask(SIG_BLOCK, &set, &before_);
  const auto [from, to] = signal_pipe().ends;
  for (unsigned char late = 0; ::read(from, &late, 1) == 1;) continue;  // of the object before
  passes_to = to;
  struct sigaction action {};
  action.sa_sigaction = pass_on;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  action.sa_mask = set;
  for (std::size_t i = 0; i < kHandled.size(); ++i)
    sigaction(kHandled.at(i), &action, &handled_before_.at(i));
}

void RunSignals::stop_watching() {
  done_ = true;
  if (thread_.joinable()) thread_.join();
}

RunSignals::~RunSignals() {
  stop_watching();
  // The run is over: a reload that nobody will carry out any more, or one more wish to end, is no reason
  // to die before its summary is written.
  const sigset_t late = set_of_handled();
  constexpr timespec kNow{0, 0};
  while (sigtimedwait(&late, nullptr, &kNow) >= 0) continue;
  for (std::size_t i = 0; i < kHandled.size(); ++i)
    sigaction(kHandled.at(i), &handled_before_.at(i), nullptr);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  passes_to = -1;
}

void RunSignals::watch(std::function<void()> on_stop, std::function<void()> on_reload) {
  SACCADE_CHECK(!thread_.joinable());
  thread_ = std::thread([this, on_stop = std::move(on_stop), on_reload = std::move(on_reload)] {
    // What no other thread receives arrives while this one waits. (A signal that reaches a thread in its
    // first call after it was started may get lost under the thread sanitizer: between the calls they stay
    // blocked.)
    sigset_t waiting;
    pthread_sigmask(SIG_SETMASK, nullptr, &waiting);
    for (const int signal : kHandled) sigdelset(&waiting, signal);
    const int from = signal_pipe().ends[0];
    bool asked = false;
    bool reload = false;
    while (!done_) {
      if (reload && take_reloads_) {
        reload = false;
        on_reload();
      }
      pollfd wait{from, POLLIN, 0};
      unsigned char word = 0;
      if (::ppoll(&wait, 1, &kLook, &waiting) != 1 || ::read(from, &word, 1) != 1) continue;
      const int signal = word & ~kByKernel;
      const bool terminal_gone = signal == SIGHUP && (word & kByKernel) != 0;
      if (signal == SIGHUP && !terminal_gone) {
        reload = true;
        continue;
      }
      if (std::exchange(asked, true) && !terminal_gone) std::_Exit(kExitBySignal + signal);
      on_stop();
    }
  });
}

SignalsTerminate::SignalsTerminate() {
  sigset_t set;
  sigemptyset(&set);
  struct sigaction terminate {};
  terminate.sa_handler = SIG_DFL;
  for (std::size_t i = 0; i < handled_before_.size(); ++i) {
    sigaddset(&set, kHandled.at(i));
    sigaction(kHandled.at(i), &terminate, &handled_before_.at(i));
  }
  pthread_sigmask(SIG_UNBLOCK, &set, &before_);
}

SignalsTerminate::~SignalsTerminate() {
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  for (std::size_t i = 0; i < handled_before_.size(); ++i)
    sigaction(kHandled.at(i), &handled_before_.at(i), nullptr);
}

}  // namespace saccade::app
