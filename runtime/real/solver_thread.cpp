#include "runtime/real/solver_thread.hpp"

#include "runtime/machine/thread_settings.hpp"

namespace saccade::runtime {

SolverThread::SolverThread(const scheduler::Policy& policy, Seconds deadline, const Clock& clock,
                           MessageQueue& queue)
    : policy_(policy), deadline_(to_duration(deadline)), clock_(clock), queue_(queue), thread_([this] {
        run();
      }) {}

SolverThread::~SolverThread() {
  {
    const Lock lock(mutex_);
    stopping_ = true;
    changed_.notify_one();
  }
  thread_.join();
}

void SolverThread::submit(scheduler::Snapshot snapshot) {
  const Lock lock(mutex_);
  wanted_ = std::move(snapshot);
  changed_.notify_one();
}

void SolverThread::run() {
  name_thread("solver");
  for (;;) {
    std::optional<scheduler::Snapshot> snapshot;
    {
      Lock lock(mutex_);
      changed_.wait(mutex_, [&]() SACCADE_REQUIRES(mutex_) { return stopping_ || wanted_; });
      if (stopping_) return;
      snapshot.swap(wanted_);
    }
    const TimePoint begun = clock_.now();
    scheduler::DecideLimits limits;
    limits.stop = [&, end = begun + deadline_] { return stopping_ || clock_.now() >= end; };
    event::PlanReady ready{policy_.decide(*snapshot, limits), {}};
    ready.solve_time = clock_.now() - begun;
    queue_.post(Event(std::move(ready)));
  }
}

}  // namespace saccade::runtime
