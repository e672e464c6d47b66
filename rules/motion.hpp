// Whether something moves in a task's view, from samples: moving from a sample that shows motion until `hold`
// has passed without one; still once `quiet` has passed since the last one, or since the first sample if
// there was none. Missing samples count as no motion: the view of a lost camera becomes still.
// Pure: time is an argument and never steps back. Threads: plain value.
#pragma once

#include <optional>

#include "base/clock.hpp"

namespace saccade::rules {

class Motion {
 public:
  // `quiet` absent: met while something moves; given: met while nothing does.
  Motion(Duration hold, std::optional<Duration> quiet) : hold_(hold), quiet_(quiet) {}

  void look(bool moves, TimePoint now) {
    if (moves || !since_) since_ = now;
    if (moves) met_ = !quiet_;
    pass(now);
  }
  void pass(TimePoint now) {
    if (!since_) return;
    met_ = quiet_ ? met_ || now - *since_ >= *quiet_ : met_ && now - *since_ < hold_;
  }
  [[nodiscard]] bool met() const { return met_; }
  // When the next pass() changes the state, unless samples come before; absent: never.
  [[nodiscard]] std::optional<TimePoint> next_turn() const {
    if (!since_ || met_ == quiet_.has_value()) return std::nullopt;
    return *since_ + (quiet_ ? *quiet_ : hold_);
  }

 private:
  Duration hold_;
  std::optional<Duration> quiet_;
  std::optional<TimePoint> since_;  // of the last sample that showed motion, or of the first sample
  bool met_ = false;
};

}  // namespace saccade::rules
