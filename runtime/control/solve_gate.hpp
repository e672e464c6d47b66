// When to solve: immediately for a first change; changes within `coalesce` of a solve's start are gathered
// into the next; one solve is in flight at a time. A solve that returned nothing is repeated after a pause
// that doubles. Threads: plain value.
#pragma once

#include <algorithm>
#include <optional>

#include "base/check.hpp"
#include "base/clock.hpp"

namespace saccade::runtime {

class SolveGate {
 public:
  SolveGate(Duration coalesce, Duration first_pause, Duration longest_pause)
      : coalesce_(coalesce), first_pause_(first_pause), longest_pause_(longest_pause) {}

  void wanted() { wanted_ = true; }
  // One is in flight, and nothing has come up since it started.
  [[nodiscard]] bool in_flight_for_all() const { return in_flight_ && !wanted_; }
  [[nodiscard]] bool pending() const { return wanted_ || in_flight_; }

  // True if a solve is to start now; it then counts as in flight.
  [[nodiscard]] bool start(TimePoint now) {
    if (!wanted_ || in_flight_ || now < not_before_) return false;
    wanted_ = false;
    in_flight_ = true;
    not_before_ = now + coalesce_;
    return true;
  }
  void came_back() {
    SACCADE_CHECK(in_flight_);
    in_flight_ = false;
    pause_ = Duration(0);
  }
  void came_back_empty(TimePoint now) {
    const Duration before = pause_;
    came_back();
    pause_ = before.count() == 0 ? first_pause_ : std::min(2 * before, longest_pause_);
    not_before_ = std::max(not_before_, now + pause_);
    wanted_ = true;
  }
  // The last solve returned nothing; it is unknown when the next plan will arrive.
  [[nodiscard]] bool empty_handed() const { return pause_.count() > 0; }
  [[nodiscard]] std::optional<TimePoint> next_start() const {
    return wanted_ && !in_flight_ ? std::optional(not_before_) : std::nullopt;
  }

 private:
  Duration coalesce_;
  Duration first_pause_;
  Duration longest_pause_;
  bool wanted_ = false;
  bool in_flight_ = false;
  TimePoint not_before_{};
  Duration pause_{0};
};

}  // namespace saccade::runtime
