// One step of the planner: its view, what follows from it, and what is being changed. A camera is changed at
// most once per step; what comes of a change is decided by the next. Threads: plain value.
#pragma once

#include <cstddef>
#include <map>
#include <set>

#include "fleet/control/planner.hpp"

namespace saccade::fleet {

struct Planner::Scene {
  Scene(const FleetView& of, Term in_term, TimePoint at)
      : view(of), term(in_term), now(at), draft(of), where(whereabouts(of.assigned)) {
    const std::vector<Camera>& cameras = of.problem.cameras;
    for (std::size_t i = 0; i < cameras.size(); ++i) index.emplace(cameras[i].task.id, i);
    for (const Released& each : of.plan.document.released) released.insert(each.camera);
    for (const auto& [id, camera] : where.cameras) in_flight += camera.take_over ? 1U : 0U;
    in_flight += released.size();
    for (const Box& box : of.problem.boxes) boxes.emplace(box.id, &box);
  }

  [[nodiscard]] const Camera* camera(const TaskId& id) const {
    const auto found = index.find(id);
    return found == index.end() ? nullptr : &view.problem.cameras[found->second];
  }
  [[nodiscard]] const Whereabouts::Camera* at(const TaskId& id) const {
    const auto found = where.cameras.find(id);
    return found == where.cameras.end() ? nullptr : &found->second;
  }
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
  Whereabouts where;
  std::map<TaskId, std::size_t> index;
  std::map<BoxId, const Box*> boxes;
  std::set<TaskId> released;
  bool frees = false;  // cameras that were released, and may be given away as of this step
  std::set<TaskId> touched;
  std::size_t in_flight = 0;
};

}  // namespace saccade::fleet
