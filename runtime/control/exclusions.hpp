// Variants that failed to load or to run, kept out of plans for a while: 0.25 s after the first failure,
// doubling with each further one up to 10 minutes. A variant that then serves kTrusted frames in a row
// without error is forgiven. A task that is off may have one of its variants back earlier (retry_by).
// Threads: plain value.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "runtime/frames/frame.hpp"

namespace saccade::runtime {

class Exclusions {
 public:
  static constexpr int kTrusted = 100;

  Exclusions(Duration first, Duration most) : first_(first), most_(most) {}

  Duration exclude(TaskIndex task, std::size_t variant, TimePoint now);  // returns for how long
  void forgive(TaskIndex task, std::size_t variant);
  void retry_by(TaskIndex task, TimePoint latest);  // the exclusion that ends first ends by then
  void clear(TaskIndex task);  // its profiles changed, so that variant indices have another meaning

  [[nodiscard]] bool excluded(TaskIndex task, std::size_t variant) const;
  // Ends exclusions that have lasted long enough; true if a variant became allowed again.
  bool expire(TimePoint now);
  [[nodiscard]] std::optional<TimePoint> next_expiry() const;

 private:
  struct Failures {
    Duration pause{0};
    std::optional<TimePoint> until;  // absent: allowed again, but remembered
  };
  Duration first_;
  Duration most_;
  std::map<std::pair<TaskIndex, std::size_t>, Failures> failures_;
};

}  // namespace saccade::runtime
