// Signals to a run as calls. SIGINT and SIGTERM: the first asks the run to end in good order, the second
// ends the process at once. SIGHUP from another process asks for a reload; from the kernel it says that
// the terminal is gone, and asks for the end.
// Order: construct before any other thread is started, so that all of them leave these signals alone.
// Threads: one inside; the callbacks run on it, one after the other.
#pragma once

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

  // Signals that came since construction count. Once.
  void watch(std::function<void()> on_stop, std::function<void()> on_reload);
  // From here on reloads are passed on; what came before waits until then. From any thread.
  void take_reloads() { take_reloads_ = true; }
  // Before what the callbacks use goes away. The destructor does it too.
  void stop_watching();

 private:
  sigset_t before_{};
  std::atomic<bool> take_reloads_{false};
  std::atomic<bool> done_{false};
  std::thread thread_;
};

}  // namespace saccade::app
