#include "runtime/engines/device_threads.hpp"

#include <thread>
#include <utility>

#include "runtime/machine/thread_settings.hpp"

namespace saccade::runtime {

class DeviceThreads::Thread {
 public:
  Thread(const std::function<void()>& begin, int nice)
      : thread_([this, begin, nice] { work(begin, nice); }) {}
  ~Thread() {
    {
      const Lock lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;

  void run(void (*call)(void*), void* of) {
    const cpu_set_t here = cpu_set();
    Lock lock(mutex_);
    call_ = call;
    of_ = of;
    cpus_ = here;
    changed_.notify_all();
    changed_.wait(mutex_, [&]() SACCADE_REQUIRES(mutex_) { return call_ == nullptr; });
  }

 private:
  void work(const std::function<void()>& begin, int nice) {
    set_nice(thread_id(), nice);
    if (begin) begin();
    cpu_set_t own = cpu_set();
    Lock lock(mutex_);
    for (;;) {
      changed_.wait(mutex_, [&]() SACCADE_REQUIRES(mutex_) { return call_ != nullptr || ends_; });
      if (call_ == nullptr) return;
      void (*const call)(void*) = call_;
      void* const of = of_;
      const cpu_set_t wanted = cpus_;
      lock.unlock();
      if (!CPU_EQUAL(&wanted, &own)) pin_to_set(own = wanted);
      call(of);
      lock.lock();
      call_ = nullptr;
      changed_.notify_all();
    }
  }

  Mutex mutex_;
  Condition changed_;
  void (*call_)(void*) SACCADE_GUARDED_BY(mutex_) = nullptr;  // to be called, or being called
  void* of_ SACCADE_GUARDED_BY(mutex_) = nullptr;
  cpu_set_t cpus_ SACCADE_GUARDED_BY(mutex_){};  // of the caller
  bool ends_ SACCADE_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // last: it uses what is above
};

std::shared_ptr<DeviceThreads> DeviceThreads::make(std::function<void()> begin) {
  return std::make_shared<DeviceThreads>(Passkey{}, std::move(begin));
}

DeviceThreads::DeviceThreads(Passkey, std::function<void()> begin)
    : begin_(std::move(begin)), nice_(niceness()) {}
DeviceThreads::~DeviceThreads() = default;

std::unique_ptr<DeviceThreads::Lease> DeviceThreads::take() {
  std::unique_ptr<Thread> thread;
  {
    const Lock lock(mutex_);
    if (!idle_.empty()) {
      thread = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (!thread) thread = std::make_unique<Thread>(begin_, nice_);
  return std::make_unique<Lease>(shared_from_this(), std::move(thread));
}

DeviceThreads::Lease::Lease(std::shared_ptr<DeviceThreads> threads, std::unique_ptr<Thread> thread)
    : threads_(std::move(threads)), thread_(std::move(thread)) {}

DeviceThreads::Lease::~Lease() {
  const Lock lock(threads_->mutex_);
  threads_->idle_.push_back(std::move(thread_));
}

void DeviceThreads::Lease::run_call(void (*call)(void*), void* of) { thread_->run(call, of); }

}  // namespace saccade::runtime
