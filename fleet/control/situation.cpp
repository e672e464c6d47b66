#include "fleet/control/situation.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace saccade::fleet {
namespace {

// What both have, in the order of the first.
template <class Each>
void keep_common(std::vector<Each>& of, const std::vector<Each>& other) {
  std::erase_if(of,
                [&](const Each& each) { return std::find(other.begin(), other.end(), each) == other.end(); });
}

// Only where both allow a box.
void narrow(Where& where, const Where& other) {
  for (const auto& [label, values] : other.labels) {
    const auto [known, added] = where.labels.emplace(label, values);
    if (!added) keep_common(known->second, values);
  }
  where.avoid.insert(where.avoid.end(), other.avoid.begin(), other.avoid.end());
  if (where.boxes.empty()) where.boxes = other.boxes;
  if (other.boxes.empty() || where.boxes == other.boxes) return;
  std::vector<BoxId> common = where.boxes;
  keep_common(common, other.boxes);
  if (!common.empty()) where.boxes = std::move(common);  // an empty list says: any
}

// Cameras that are to be together may each be only where all of them may: one that took any other box would
// keep the others off.
void share_rules(Problem& problem) {
  std::map<std::string_view, Where> units;
  for (const Camera& camera : problem.cameras) {
    if (camera.where.together.empty() || !camera.task.active()) continue;
    const auto [unit, first] = units.emplace(camera.where.together, camera.where);
    if (!first) narrow(unit->second, camera.where);
  }
  for (Camera& camera : problem.cameras) {
    const auto unit = units.find(camera.where.together);
    if (unit == units.end()) continue;
    camera.where.labels = unit->second.labels;
    camera.where.avoid = unit->second.avoid;
    camera.where.boxes = unit->second.boxes;
  }
}

using Health = std::function<BoxHealth(const BoxId&)>;

class PinnedCameras {
 public:
  PinnedCameras(Problem& problem, const std::map<TaskId, BoxId>& pins, const Health& health)
      : problem_(problem), pins_(pins), health_(health) {}

  void apply() {
    for (const Camera& camera : problem_.cameras) {
      const auto pin = pins_.find(camera.task.id);
      if (pin != pins_.end() && !camera.where.together.empty())
        units_.emplace(camera.where.together, pin->second);
    }
    for (const Camera& camera : problem_.cameras) {
      const auto unit = units_.find(camera.where.together);
      if (unit != units_.end() && !may_be_on(camera, unit->second)) units_.erase(unit);
    }
    for (Camera& camera : problem_.cameras) {
      if (const std::optional<BoxId> box = pin_of(camera)) camera.where.boxes = {*box};
    }
  }

 private:
  [[nodiscard]] bool may_be_on(const Camera& camera, const BoxId& id) const {
    const auto box = std::find_if(problem_.boxes.begin(), problem_.boxes.end(),
                                  [&](const Box& each) { return each.id == id; });
    if (box == problem_.boxes.end() || health_(id) == BoxHealth::lost) return false;
    const bool serves = box->state == BoxState::active || box->state == BoxState::cordoned;
    return serves && allows(camera.where, *box);
  }
  [[nodiscard]] std::optional<BoxId> pin_of(const Camera& camera) const {
    if (!camera.where.together.empty()) {
      const auto unit = units_.find(camera.where.together);
      return unit == units_.end() ? std::nullopt : std::optional(unit->second);
    }
    const auto pin = pins_.find(camera.task.id);
    return pin != pins_.end() && may_be_on(camera, pin->second) ? std::optional(pin->second) : std::nullopt;
  }

  Problem& problem_;
  const std::map<TaskId, BoxId>& pins_;
  const Health& health_;
  std::map<std::string, BoxId> units_;  // boxes of cameras that are to be together
};

}  // namespace

std::optional<BoxId> box_of(const Whereabouts::Camera* at) {
  if (at == nullptr) return {};
  if (at->take_over) return at->take_over->box;
  return at->serve ? std::optional(at->serve->box) : std::nullopt;
}

BoxState present_state(BoxState configured, BoxHealth health) {
  if (health == BoxHealth::alive) return configured;
  return health == BoxHealth::lost || configured == BoxState::active ? BoxState::cordoned : configured;
}

Problem situation(Problem configured, const std::map<TaskId, BoxId>& pins, const Whereabouts& where,
                  const Health& health) {
  Problem problem = std::move(configured);
  share_rules(problem);
  if (!pins.empty()) PinnedCameras(problem, pins, health).apply();
  for (Box& box : problem.boxes) box.state = present_state(box.state, health(box.id));
  for (Camera& camera : problem.cameras) {
    const auto at = where.cameras.find(camera.task.id);
    camera.serving = box_of(at == where.cameras.end() ? nullptr : &at->second);
  }
  return problem;
}

}  // namespace saccade::fleet
