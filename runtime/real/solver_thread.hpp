// Computes plans off the main loop, one at a time; meanwhile frames are served by the old plan.
// Threads: submit() from the main loop; the plan is posted as event::PlanReady.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <thread>

#include "base/mutex.hpp"
#include "runtime/real/message_queue.hpp"
#include "scheduler/policy.hpp"

namespace saccade::runtime {

class SolverThread {
 public:
  // `policy`, `clock` and `queue` must outlive the thread.
  SolverThread(const scheduler::Policy& policy, Seconds deadline, const Clock& clock, MessageQueue& queue);
  ~SolverThread();  // stops a solve in flight and drops its plan
  SolverThread(const SolverThread&) = delete;
  SolverThread& operator=(const SolverThread&) = delete;

  void submit(scheduler::Snapshot snapshot);

 private:
  void run();

  const scheduler::Policy& policy_;
  const Duration deadline_;
  const Clock& clock_;
  MessageQueue& queue_;
  Mutex mutex_;
  Condition changed_;
  std::optional<scheduler::Snapshot> wanted_ SACCADE_GUARDED_BY(mutex_);
  std::atomic<bool> stopping_{false};
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace saccade::runtime
