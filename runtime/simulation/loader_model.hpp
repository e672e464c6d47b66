// The loader of a simulation: what runtime/real/loader.hpp does with threads, as a state machine. One
// load or warm-up at a time in the order asked for; a job whose load hangs past the time limit is left
// behind and a second loader takes over, at most two in all; one that comes back takes charge when nobody
// else is. Unloads are a thread of their own.
// Threads: plain value.
#pragma once

#include <array>
#include <deque>
#include <optional>

#include "base/clock.hpp"
#include "runtime/frame.hpp"

namespace saccade::runtime {

class LoaderModel {
 public:
  enum class Kind { load, warm, unload };
  struct Job {
    Kind kind = Kind::load;
    EngineKey engine = 0;
    TimePoint asked{};  // of a warm-up: when its load was asked for
  };
  static constexpr std::size_t kLoaders = 2;
  static constexpr std::size_t kThreads = kLoaders + 1;  // the last one unloads

  void put(const Job& job) { (job.kind == Kind::unload ? unloads_ : jobs_).push_back(job); }
  struct Begun {
    std::size_t loader = 0;
    Job job;
  };
  // A job that is taken up now by the loader in charge or by the one that unloads; absent: there is none,
  // or they are busy.
  [[nodiscard]] std::optional<Begun> begin();
  Job end(std::size_t loader);  // the job it was at
  // The loader in charge is at this engine's load or warm-up and its time is over: it is left behind.
  void leave_behind(EngineKey engine);

  [[nodiscard]] bool at_work() const;  // any job begun or waiting
  [[nodiscard]] const std::optional<Job>& job(std::size_t loader) const { return loaders_.at(loader); }

 private:
  std::deque<Job> jobs_;
  std::deque<Job> unloads_;
  std::array<std::optional<Job>, kThreads> loaders_;
  std::optional<std::size_t> in_charge_ = 0;  // absent: all hang
};

}  // namespace saccade::runtime
