#include "fleet/preview.hpp"

#include <algorithm>

namespace saccade::fleet {
namespace {

bool has_camera(const Problem& problem, const TaskId& id) {
  const auto at =
      std::lower_bound(problem.cameras.begin(), problem.cameras.end(), id,
                       [](const Camera& camera, const TaskId& wanted) { return camera.task.id < wanted; });
  return at != problem.cameras.end() && at->task.id == id;
}

std::vector<Preview::Moved> moved_in(const FleetPlan& plan, const Problem& before) {
  std::vector<Preview::Moved> moved;
  const Problem& problem = plan.assignment.model().problem();
  for (std::size_t i = 0; i < problem.cameras.size(); ++i) {
    const Camera& camera = problem.cameras[i];
    const Served& served = plan.assignment.served(i);
    Preview::Moved one{camera.task.id, camera.serving, std::nullopt, ""};
    if (!served.off()) one.to = problem.boxes[served.box].id;
    if (served.off()) one.why = why_off(plan.assignment, i);
    const bool stays_off = served.off() && !camera.serving && has_camera(before, camera.task.id);
    if (one.from != one.to || (served.off() && !stays_off && camera.task.active()))
      moved.push_back(std::move(one));
  }
  return moved;
}

}  // namespace

Preview preview(const Problem& before, const Problem& after, const PlanLimits& limits) {
  Preview found;
  const Model now(before);
  found.before = forecast_of(plan_kept(now, limits));
  const Model then(after);
  const FleetPlan plan = plan_fleet(then, limits);
  found.after = forecast_of(plan);
  found.moved = moved_in(plan, before);
  return found;
}

}  // namespace saccade::fleet
