// Decides plans off the main loop, one at a time: frames flow with the old plan meanwhile.
// Threads: submit() from the main loop; the plan comes back as event::PlanReady.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "runtime/real/message_queue.hpp"
#include "scheduler/policy.hpp"

namespace saccade::runtime {

class SolverThread {
 public:
  // `policy`, `clock` and `queue` outlive the thread.
  SolverThread(const scheduler::Policy& policy, Seconds deadline, const Clock& clock, MessageQueue& queue);
  ~SolverThread();  // a solve in flight is told to end and its plan dropped
  SolverThread(const SolverThread&) = delete;
  SolverThread& operator=(const SolverThread&) = delete;

  void submit(scheduler::Snapshot snapshot);

 private:
  void run();

  const scheduler::Policy& policy_;
  const Duration deadline_;
  const Clock& clock_;
  MessageQueue& queue_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<scheduler::Snapshot> wanted_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace saccade::runtime
