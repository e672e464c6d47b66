// One step of the planner: its view, what follows from it, and what is being changed. A camera is changed at
// most once per step; what comes of a change is decided by the next. Threads: plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "fleet/control/planner.hpp"

namespace saccade::fleet {

// The plan of the whole fleet that is being carried out. It says where cameras are to be, and so goes on
// being right while they get there; it does not after another decision, or when something else has changed.
struct Planner::Course {
  Problem problem;                 // that it was made of
  std::vector<std::size_t> to;     // the box of each camera; kNone: off
  std::set<std::size_t> stranded;  // cameras that their box cannot serve, or may not
  std::size_t moves = 0;           // that it asks for
  bool serves_more = false;        // its moves are those that let the fleet serve more
  bool complete = true;            // not cut off by the deadline
  bool cut = false;                // the search for such moves was
  std::uint64_t problem_version = 0;
  std::uint64_t health_changes = 0;
  std::int64_t withdrawn = 0;  // PlannerFigures
  TimePoint until;
  // Some demand is not served, and cameras rest that might move for it: the first until then.
  TimePoint rests = TimePoint::max();

  void take(const FleetPlan& plan);
  // Of moving a camera there from a box.
  [[nodiscard]] Cause cause(std::size_t camera, const Box& from) const;
  [[nodiscard]] bool holds(const Planner& planner, const Scene& scene) const;
};

struct Planner::Scene {
  Scene(const FleetView& of, Bearings& known, Term in_term, TimePoint at)
      : view(of), term(in_term), now(at), draft(of), bearings(known) {
    for (const Released& each : of.plan.document.released) released.insert(each.camera);
    in_flight = known.taken_over().size() + released.size();
  }

  [[nodiscard]] const Camera* camera(const TaskId& id) const {
    const std::size_t camera = bearings.camera(id);
    return camera == kNone ? nullptr : &view.problem.cameras[camera];
  }
  [[nodiscard]] const Box* box(const BoxId& id) const {
    const std::size_t box = bearings.box(id);
    return box == kNone ? nullptr : &view.problem.boxes[box];
  }
  [[nodiscard]] const Whereabouts::Camera* at(const TaskId& id) const { return bearings.at(id); }
  // Nothing is added to its assignment; what is taken off makes room.
  [[nodiscard]] bool closed(const BoxId& box) const { return view.closed.contains(box); }
  // Takes an exclusive camera off its box; it is given away once that has confirmed.
  void release(const BoxId& from, const TaskId& id, Cause cause) {
    draft.remove(from, id);
    draft.plan().released.push_back({id, from, cause});
    touched.insert(id);
    ++in_flight;
  }

  const FleetView& view;
  Term term;
  TimePoint now;
  Draft draft;
  Bearings& bearings;
  std::set<TaskId> released;
  bool frees = false;  // cameras that were released, and may be given away as of this step
  std::set<TaskId> touched;
  std::size_t in_flight = 0;
};

}  // namespace saccade::fleet
