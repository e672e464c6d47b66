// Freezes what turns on and off too often: after the kMostTurns-th turn within kWithin the state stays as it
// is until kFrozen has passed. Pure: time is an argument and never steps back. Threads: plain value.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/clock.hpp"

namespace saccade::rules {

class TurnLimit {
 public:
  static constexpr std::size_t kMostTurns = 12;
  static constexpr Duration kWithin = std::chrono::seconds(60);
  static constexpr Duration kFrozen = std::chrono::seconds(60);

  [[nodiscard]] bool frozen(TimePoint now) const { return frozen_until_ && now < *frozen_until_; }
  // Ends an expired freeze.
  void thaw(TimePoint now) {
    if (!frozen(now)) frozen_until_.reset();
  }
  // Records a turn while not frozen. True: this one caused a freeze.
  bool turn(TimePoint now);
  // Absent once the freeze was ended by thaw().
  [[nodiscard]] const std::optional<TimePoint>& frozen_until() const { return frozen_until_; }

 private:
  std::vector<TimePoint> turns_;  // within kWithin, oldest first
  std::optional<TimePoint> frozen_until_;
};

}  // namespace saccade::rules
