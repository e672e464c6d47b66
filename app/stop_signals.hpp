// SIGINT and SIGTERM as a call: the first asks the run to end in good order, the second ends the
// process at once.
// Order: construct before any other thread is started, so that all of them leave these signals alone.
// Threads: one inside; the callback runs on it.
#pragma once

#include <atomic>
#include <csignal>
#include <functional>
#include <thread>

namespace saccade::app {

class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // Signals that came since construction count. Once.
  void watch(std::function<void()> on_stop);
  // Before what the callback uses goes away. The destructor does it too.
  void stop_watching();

 private:
  sigset_t before_{};
  std::atomic<bool> done_{false};
  std::thread thread_;
};

}  // namespace saccade::app
