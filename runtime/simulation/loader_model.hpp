// The simulated loader: runtime/real/loader.hpp as a state machine instead of threads. Loads and warm-ups
// run one at a time, in the order requested. A job that exceeds the load time-out is abandoned and a
// second loader takes over, of two in all; an abandoned loader that returns takes over if the other one
// hangs as well. Unloads have a thread of their own.
// Threads: plain value.
#pragma once

#include <array>
#include <deque>
#include <optional>

#include "base/clock.hpp"
#include "runtime/control/options.hpp"
#include "runtime/frames/frame.hpp"

namespace saccade::runtime {

class LoaderModel {
 public:
  enum class Kind { load, warm, unload };
  struct Job {
    Kind kind = Kind::load;
    EngineKey engine = 0;
    TimePoint asked{};  // when the load was requested, of a warm-up too
  };
  static constexpr std::size_t kThreads = kLoaders + 1;  // the last one unloads

  void put(const Job& job) { (job.kind == Kind::unload ? unloads_ : jobs_).push_back(job); }
  struct Begun {
    std::size_t loader = 0;
    Job job;
  };
  // Starts the next job of the loader in charge or of the unloading thread; absent: no job waits, or both
  // are busy.
  [[nodiscard]] std::optional<Begun> begin();
  Job end(std::size_t loader);  // returns the job that it was running
  // Abandons the loader in charge if it is still loading or warming up this engine.
  void leave_behind(EngineKey engine);

  [[nodiscard]] bool at_work() const;  // any job is running or waiting
  [[nodiscard]] const std::optional<Job>& job(std::size_t loader) const { return loaders_.at(loader); }

 private:
  std::deque<Job> jobs_;
  std::deque<Job> unloads_;
  std::array<std::optional<Job>, kThreads> loaders_;
  std::optional<std::size_t> in_charge_ = 0;  // absent: all hang
};

}  // namespace saccade::runtime
