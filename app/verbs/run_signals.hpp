// Signals to a run as callbacks. SIGINT and SIGTERM: the first requests an orderly shutdown, the second
// terminates the process immediately. SIGHUP from another process requests a reload; from the kernel it means
// that the terminal was closed, and requests a shutdown.
// Order: construct before any other thread is started, so that those of the run are not interrupted by these
// signals. Threads of libraries that were started earlier may be (OpenBLAS starts some before main()): what
// they receive is passed on as well.
// Threads: one of its own; the callbacks run on it, one after the other. One object at a time.
#pragma once

#include <array>
#include <atomic>
#include <csignal>
#include <functional>
#include <thread>

namespace saccade::app {

class RunSignals {
 public:
  RunSignals();
  ~RunSignals();
  RunSignals(const RunSignals&) = delete;
  RunSignals& operator=(const RunSignals&) = delete;

  // Handles signals received since construction as well. Call once.
  void watch(std::function<void()> on_stop, std::function<void()> on_reload);
  // Reloads are passed on from now on; earlier ones are held until then. From any thread.
  void take_reloads() { take_reloads_ = true; }
  // Call before anything the callbacks use is destroyed. The destructor calls it too.
  void stop_watching();

 private:
  sigset_t before_{};
  std::array<struct sigaction, 3> handled_before_{};
  std::atomic<bool> take_reloads_{false};
  std::atomic<bool> done_{false};
  std::thread thread_;
};

// While it exists, SIGINT and SIGTERM terminate the process immediately: for waits in which nothing runs yet
// that would have to be shut down. Threads: the one that constructed RunSignals; the others were started
// before and block these signals.
class SignalsTerminate {
 public:
  SignalsTerminate();
  ~SignalsTerminate();
  SignalsTerminate(const SignalsTerminate&) = delete;
  SignalsTerminate& operator=(const SignalsTerminate&) = delete;

 private:
  sigset_t before_{};
  std::array<struct sigaction, 2> handled_before_{};
};

}  // namespace saccade::app
