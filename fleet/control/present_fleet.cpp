#include "fleet/control/present_fleet.hpp"

#include <utility>
#include <vector>

#include "fleet/control/situation.hpp"
#include "fleet/plan.hpp"

namespace saccade::fleet {

void PresentFleet::follow(const FleetView& view, Bearings& bearings, std::uint64_t health_changes,
                          const Health& health, const JointLimits& limits) {
  const std::set<std::size_t> moved = std::exchange(bearings.moved, {});
  if (!problem_ || problem_version_ != view.problem_version || health_changes_ != health_changes) {
    problem_version_ = view.problem_version;
    health_changes_ = health_changes;
    assignment_.reset();
    problem_ = std::make_unique<Problem>(situation(view.problem, view.pins, bearings.where(), health));
    model_ = std::make_unique<Model>(*problem_);
    assignment_ = settle_kept(*model_, limits);
    return;
  }
  std::vector<bool> changed(problem_->boxes.size(), !model_->spreads().empty());
  const auto note = [&](std::size_t box) {
    if (box != kNone) changed[box] = true;
  };
  for (const std::size_t camera : moved) {
    note(model_->items()[camera].home);
    problem_->cameras[camera].serving = box_of(bearings.at(problem_->cameras[camera].task.id));
    model_->follow_serving(camera);
    note(model_->items()[camera].home);
  }
  if (!moved.empty()) assignment_ = settle_kept(*model_, limits, *assignment_, changed);
}

}  // namespace saccade::fleet
