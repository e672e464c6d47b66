// Threads that own what lives on an accelerator. Libraries of accelerators keep state per thread: workspaces,
// graphs that were captured, the current device. An engine on one is therefore made, warmed up, run and
// destroyed on one thread, its own while it lives; the caller hands each call over and waits. A thread whose
// engine is gone is kept for the next one.
//
// A thread works where its caller may run in that call: an engine loads on the loader's CPUs and serves on
// its worker's. It has the niceness of the thread that made this, whoever starts it (the loader is nice;
// where the process may not raise a priority, it is not): engines that load or are destroyed hold locks of
// the library and the driver for which those that serve wait.
//
// rare(): held while something runs that may disturb every other engine of the device, the first inferences,
// in which a graph is captured, and its destruction; no two of these are under way at once.
//
// Threads: take() and a lease's run() from any thread, one call at a time per lease. Order: a lease outlives
// what was made on it. Errors: std::system_error of the C++ library when no thread can be started, from
// take().
#pragma once

#include <functional>
#include <memory>
#include <type_traits>
#include <vector>

#include "base/mutex.hpp"

namespace saccade::runtime {

class DeviceThreads : public std::enable_shared_from_this<DeviceThreads> {
  struct Passkey {};

 public:
  // `begin` runs at the start of every thread, before any call.
  [[nodiscard]] static std::shared_ptr<DeviceThreads> make(std::function<void()> begin);
  DeviceThreads(Passkey, std::function<void()> begin);
  ~DeviceThreads();
  DeviceThreads(const DeviceThreads&) = delete;
  DeviceThreads& operator=(const DeviceThreads&) = delete;

  class Thread;
  class Lease {
   public:
    Lease(std::shared_ptr<DeviceThreads> threads, std::unique_ptr<Thread> thread);
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

    // Calls `work` on the thread and waits until it is done. It must not throw.
    template <class Work>
    void run(Work&& work) {
      using Plain = std::remove_reference_t<Work>;
      run_call([](void* of) { (*static_cast<Plain*>(of))(); }, &work);
    }
    [[nodiscard]] Mutex& rare() const { return threads_->rare_; }

   private:
    void run_call(void (*call)(void*), void* of);

    std::shared_ptr<DeviceThreads> threads_;
    std::unique_ptr<Thread> thread_;
  };
  [[nodiscard]] std::unique_ptr<Lease> take();

 private:
  const std::function<void()> begin_;
  const int nice_;  // of the thread that made this
  Mutex rare_;
  Mutex mutex_;
  std::vector<std::unique_ptr<Thread>> idle_ SACCADE_GUARDED_BY(mutex_);
};

}  // namespace saccade::runtime
