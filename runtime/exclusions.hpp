// Variants that failed to load or to run, kept out of plans for a while: 0.25 s after the first
// failure, doubling with each further one up to 5 s. A variant that then serves well for
// kTrusted frames in a row is forgiven.
// Threads: plain value.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "runtime/frame.hpp"

namespace saccade::runtime {

class Exclusions {
 public:
  static constexpr int kTrusted = 100;

  Exclusions(Duration first, Duration most) : first_(first), most_(most) {}

  Duration exclude(TaskIndex task, std::size_t variant, TimePoint now);  // for how long
  void forgive(TaskIndex task, std::size_t variant);
  void clear(TaskIndex task);  // its profiles changed: variant indices mean something else

  [[nodiscard]] bool excluded(TaskIndex task, std::size_t variant) const;
  // Ends what has lasted long enough; true when something became allowed again.
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
