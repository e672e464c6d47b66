#include "fleet/control/present_fleet.hpp"

#include <set>
#include <utility>
#include <vector>

#include "fleet/control/situation.hpp"
#include "fleet/plan.hpp"

namespace saccade::fleet {

void PresentFleet::follow(const FleetView& view, Bearings& bearings, std::uint64_t health_changes,
                          const Health& health) {
  const std::set<std::size_t> moved = std::exchange(bearings.moved, {});
  const bool same_problem = problem_ && problem_version_ == view.problem_version;
  const bool same_health = same_problem && health_changes_ == health_changes;
  if (same_health && moved.empty()) return;
  problem_version_ = view.problem_version;
  health_changes_ = health_changes;
  const std::vector<std::size_t> homes = same_problem ? homes_of(*model_) : std::vector<std::size_t>();
  // Whether a pin is obeyed depends on which boxes live.
  if (same_health || (same_problem && view.pins.empty())) {
    for (const std::size_t camera : moved) {
      problem_->cameras[camera].serving = box_of(bearings.at(problem_->cameras[camera].task.id));
    }
    if (same_health) {
      for (const std::size_t camera : moved) model_->follow_serving(camera);
    } else {
      follow_health(view, health);
    }
  } else {
    auto problem = std::make_unique<Problem>(situation(view.problem, view.pins, bearings.where(), health));
    model_ = std::make_unique<Model>(*problem);
    problem_ = std::move(problem);
  }
  outdated_ = true;
  if (same_problem) {
    note_changes(homes);
  } else {
    assignment_.reset();
    changed_.assign(problem_->boxes.size(), false);
  }
}

void PresentFleet::follow_health(const FleetView& view, const Health& health) {
  for (std::size_t b = 0; b < problem_->boxes.size(); ++b) {
    Box& box = problem_->boxes[b];
    box.state = present_state(view.problem.boxes[b].state, health(box.id));
  }
  model_->follow_states();
}

const Assignment& PresentFleet::assignment(const JointLimits& limits) {
  if (outdated_) {
    assignment_ =
        assignment_ ? settle_kept(*model_, limits, *assignment_, changed_) : settle_kept(*model_, limits);
    changed_.assign(changed_.size(), false);
    outdated_ = false;
  }
  return *assignment_;
}

// Boxes that are or were the home of a camera whose home is another now. With rules of spread, what a box may
// take depends on all the others.
void PresentFleet::note_changes(const std::vector<std::size_t>& homes) {
  if (!model_->spreads().empty()) changed_.assign(changed_.size(), true);
  for (std::size_t i = 0; i < homes.size(); ++i) {
    const std::size_t now = model_->items()[i].home;
    if (homes[i] == now) continue;
    if (homes[i] != kNone) changed_[homes[i]] = true;
    if (now != kNone) changed_[now] = true;
  }
}

}  // namespace saccade::fleet
