// Whether a task's source is lost: no frame came where frames are due. It is given twice the longest
// pause between two of its frames, at least a second and three of the task's periods, at most ten
// seconds; so a source that is slow, or that comes and goes, is not lost and found all the time. The
// longest pause is forgotten after a minute. One that is lost is back with its first frame.
// Threads: none of its own. No allocation.
#pragma once

#include <optional>

#include "base/clock.hpp"

namespace saccade::runtime {

class SourceWatch {
 public:
  static constexpr Duration kLeastPatience{1'000'000'000};
  static constexpr Duration kMostPatience{10'000'000'000};
  static constexpr int kLooks = 2;  // in a row that find it silent: a process that stood still looks once

  void begin(TimePoint now);  // frames are due from now on
  void end();                 // none are
  // A frame came. True: the source had been lost.
  bool heard(TimePoint now);
  // To be asked several times a second. True: it is lost from now on.
  [[nodiscard]] bool look(TimePoint now, Duration period);
  [[nodiscard]] bool lost() const { return lost_; }

 private:
  std::optional<TimePoint> heard_;  // absent: nothing is due
  Duration longest_pause_{0};
  TimePoint forget_at_{};
  int silent_looks_ = 0;
  bool lost_ = false;
};

}  // namespace saccade::runtime
