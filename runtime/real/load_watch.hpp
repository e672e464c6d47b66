// Which loader thread takes jobs, and what to do if its job takes too long. At most kLoaders threads at a
// time; a thread is abandoned when its job hangs, and is in charge again if it returns while all others hang.
//
// Call order, by the loader: start_thread() for each thread; by each thread takes_jobs(), job_begins(),
// job_ends(), again and again, and thread_ended() once takes_jobs() is false; look() several times a second.
// Threads: none of its own; used under the loader's mutex.
#pragma once

#include <cstddef>

#include "base/clock.hpp"

namespace saccade::runtime {

class LoadWatch {
 public:
  // Both count from when the load was requested.
  LoadWatch(Duration boost_after, Duration timeout) : boost_after_(boost_after), timeout_(timeout) {}

  // A new thread is in charge; returns its number.
  [[nodiscard]] int start_thread();
  void thread_ended() { --alive_; }
  [[nodiscard]] std::size_t alive() const { return alive_; }

  // Whether this thread takes the next job: it is in charge, or no thread was and now it is.
  [[nodiscard]] bool takes_jobs(int number);
  void job_begins(TimePoint requested);  // by the thread in charge
  void job_ends(int number);

  enum class Due {
    nothing,
    boost,       // the job is slow: raise the thread's priority, then call boosted()
    new_thread,  // the job hangs: its thread is abandoned, start another one
  };
  [[nodiscard]] Due look(TimePoint now);
  void boosted() { boosted_ = true; }
  [[nodiscard]] bool is_boosted() const { return boosted_; }  // the job in progress

 private:
  const Duration boost_after_;
  const Duration timeout_;
  int last_number_ = 0;
  std::size_t alive_ = 0;
  int in_charge_ = 0;  // 0: all threads hang
  bool busy_ = false;  // the thread in charge
  bool boosted_ = false;
  TimePoint requested_{};  // its job
};

}  // namespace saccade::runtime
