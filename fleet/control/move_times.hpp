// How long cameras take from one box to another, as the planner that leads sees it:
//   move      from its decision until the new box serves and the old one is relieved
//   failover  from when the lease of the lost box was seen to have ended until another box serves
// A move that was withdrawn, and a camera that is no longer demanded, have no time. Order: begin() and
// follow() in any; take() now and then. Threads: pure.
#pragma once

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "fleet/control/view.hpp"

namespace saccade::fleet {

struct EndedMoves {  // of those that have ended
  std::vector<Duration> moves;
  std::vector<Duration> failovers;
};

class MoveTimes {
 public:
  void begin_move(const TaskId& camera, const BoxId& from, TimePoint now);
  // Of a camera whose last failover has not ended, this one is a part.
  void begin_failover(const TaskId& camera, const BoxId& from, TimePoint gone);
  // `view`: what was decided before is in it. `demanded`: of a camera, now.
  void follow(const FleetView& view, const Whereabouts& where,
              const std::function<bool(const TaskId&)>& demanded, TimePoint now);
  [[nodiscard]] EndedMoves take() { return std::exchange(times_, {}); }

 private:
  struct Begun {
    bool failover = false;
    BoxId from;
    TimePoint since{};
  };
  std::map<TaskId, Begun> begun_;
  EndedMoves times_;
};

}  // namespace saccade::fleet
