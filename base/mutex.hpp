// A mutex, a lock and a condition variable whose use the compiler checks: Clang with -Wthread-safety
// refuses code that touches a GUARDED_BY member without its mutex. With other compilers the
// annotations are empty. The types are std::mutex and std::condition_variable and cost the same.
//   Mutex mutex_;
//   int count_ SACCADE_GUARDED_BY(mutex_) = 0;
//   void change() { const Lock lock(mutex_); ++count_; }
// A predicate that is waited for names its mutex: [&]() SACCADE_REQUIRES(mutex_) { return count_ > 0; }
// Threads: any. Errors: none.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define SACCADE_ANNOTATE(x) __attribute__((x))
#else
#define SACCADE_ANNOTATE(x)
#endif
#define SACCADE_GUARDED_BY(...) SACCADE_ANNOTATE(guarded_by(__VA_ARGS__))
#define SACCADE_REQUIRES(...) SACCADE_ANNOTATE(requires_capability(__VA_ARGS__))
#define SACCADE_EXCLUDES(...) SACCADE_ANNOTATE(locks_excluded(__VA_ARGS__))

namespace saccade {

class SACCADE_ANNOTATE(capability("mutex")) Mutex {
 public:
  void lock() SACCADE_ANNOTATE(acquire_capability()) { mutex_.lock(); }
  void unlock() SACCADE_ANNOTATE(release_capability()) { mutex_.unlock(); }

 private:
  friend class Condition;
  std::mutex mutex_;
};

// Holds the mutex during its lifetime; unlock() and lock() release and reacquire it.
class SACCADE_ANNOTATE(scoped_lockable) Lock {
 public:
  explicit Lock(Mutex& mutex) SACCADE_ANNOTATE(acquire_capability(mutex)) : mutex_(mutex) { mutex_.lock(); }
  ~Lock() SACCADE_ANNOTATE(release_capability()) {
    if (held_) mutex_.unlock();
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  void unlock() SACCADE_ANNOTATE(release_capability()) {
    mutex_.unlock();
    held_ = false;
  }
  void lock() SACCADE_ANNOTATE(acquire_capability()) {
    mutex_.lock();
    held_ = true;
  }

 private:
  Mutex& mutex_;
  bool held_ = true;
};

class Condition {
 public:
  void notify_one() { condition_.notify_one(); }
  void notify_all() { condition_.notify_all(); }

  void wait(Mutex& mutex) SACCADE_REQUIRES(mutex) {
    Adopted lock(mutex);
    condition_.wait(lock.unique);
  }
  template <class Predicate>
  void wait(Mutex& mutex, Predicate predicate) SACCADE_REQUIRES(mutex) {
    Adopted lock(mutex);
    condition_.wait(lock.unique, predicate);
  }
  template <class Rep, class Period>
  void wait_for(Mutex& mutex, std::chrono::duration<Rep, Period> time) SACCADE_REQUIRES(mutex) {
    Adopted lock(mutex);
    condition_.wait_for(lock.unique, time);
  }
  // False: timed out, and the predicate still does not hold.
  template <class Rep, class Period, class Predicate>
  bool wait_for(Mutex& mutex, std::chrono::duration<Rep, Period> time, Predicate predicate)
      SACCADE_REQUIRES(mutex) {
    Adopted lock(mutex);
    return condition_.wait_for(lock.unique, time, predicate);
  }
  template <class Clock, class Length, class Predicate>
  bool wait_until(Mutex& mutex, std::chrono::time_point<Clock, Length> end, Predicate predicate)
      SACCADE_REQUIRES(mutex) {
    Adopted lock(mutex);
    return condition_.wait_until(lock.unique, end, predicate);
  }

 private:
  struct Adopted {  // the caller's lock, lent to the standard library and returned
    explicit Adopted(Mutex& mutex) : unique(mutex.mutex_, std::adopt_lock) {}
    ~Adopted() { unique.release(); }
    std::unique_lock<std::mutex> unique;
  };
  std::condition_variable condition_;
};

}  // namespace saccade
