// What a box tells its fleet of how much longer frames take than profiled, per processor, so that planners do
// not give it more than it serves. Rounded to steps of 5 %, at least 1: a box that is faster than profiled
// keeps the rest to itself. A report makes planners think anew, and taking cameras off a box makes its frames
// quicker: what has been worse by a step for a minute is told, what has been better by one for ten. A
// processor that has had nothing to do for a minute counts as one that is as quick as profiled, or it would
// get nothing that could show it. Threads: plain value.
#pragma once

#include <optional>
#include <vector>

#include "base/clock.hpp"

namespace saccade::service {

class ReportedCorrections {
 public:
  // Of every processor: `measured`, as plans take it; `busy`, since the start. `at`: of the run. True:
  // another one is to be reported now.
  bool follow(const std::vector<double>& measured, const std::vector<Duration>& busy, Duration at);
  [[nodiscard]] std::vector<double> reported() const;  // empty: 1 everywhere

 private:
  struct Processor {
    double reported = 1.0;
    Duration busy{0};
    Duration busy_at{0};            // when it had last grown
    std::optional<Duration> worse;  // since when
    std::optional<Duration> better;
  };
  static bool follow(Processor& processor, double measured, Duration at);

  std::vector<Processor> processors_;
};

}  // namespace saccade::service
