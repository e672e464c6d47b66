// What a box tells its fleet of how much longer frames take than profiled, per processor, so that planners do
// not give it more than it serves. Rounded to steps of 5 %, at least 1: a box that is faster than profiled
// keeps the rest to itself. A report makes planners think anew, and taking cameras off a box makes its frames
// quicker: what is worse by a step is told a minute after the last report, what is better after ten. Threads:
// plain value.
#pragma once

#include <optional>
#include <vector>

#include "base/clock.hpp"

namespace saccade::service {

class ReportedCorrections {
 public:
  // `measured`: of every processor, as plans take it. `at`: of the run. True: others are to be reported now.
  bool follow(const std::vector<double>& measured, Duration at);
  [[nodiscard]] const std::vector<double>& reported() const { return reported_; }  // empty: 1 everywhere

 private:
  std::vector<double> reported_;
  Duration last_{0};
};

}  // namespace saccade::service
