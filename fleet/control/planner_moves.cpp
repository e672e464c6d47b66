// The part of the planner that decides where cameras go that nobody serves: those of lost boxes, and those
// without a box.
#include <algorithm>
#include <set>
#include <vector>

#include "fleet/control/planner.hpp"
#include "fleet/control/scene.hpp"
#include "fleet/failover.hpp"

namespace saccade::fleet {
namespace {

constexpr std::size_t kFewHomeless = 16;  // more are placed by a plan of the whole

std::vector<std::size_t> by_importance(const Model& model, std::vector<std::size_t> cameras) {
  std::stable_sort(cameras.begin(), cameras.end(), [&](std::size_t a, std::size_t b) {
    const Item& left = model.items()[a];
    const Item& right = model.items()[b];
    return left.rank != right.rank ? left.rank < right.rank : left.weight > right.weight;
  });
  return cameras;
}

// Cameras and the boxes that keep an engine ready for each, as places in the model.
std::map<std::size_t, std::size_t> standby_places(const FleetView& view, const Model& model) {
  std::map<BoxId, std::size_t> boxes;
  std::map<TaskId, std::size_t> cameras;
  const Problem& problem = model.problem();
  for (std::size_t i = 0; i < problem.boxes.size(); ++i) boxes.emplace(problem.boxes[i].id, i);
  for (std::size_t i = 0; i < problem.cameras.size(); ++i) cameras.emplace(problem.cameras[i].task.id, i);
  std::map<std::size_t, std::size_t> places;
  for (const auto& [box, held] : view.assigned) {
    const auto place = boxes.find(box);
    for (const StandbyCamera& each : held.document.standby) {
      const auto camera = cameras.find(each.id);
      if (place != boxes.end() && camera != cameras.end()) places.emplace(camera->second, place->second);
    }
  }
  return places;
}

}  // namespace

void Planner::losses(Scene& scene) {
  std::set<BoxId> gone = scene.bearings.strangers();
  gone.merge(judge_.lost_or_detached());
  std::erase_if(failed_over_, [&](const Pair& each) { return !gone.contains(each.second); });
  std::vector<BoxId> lost;
  for (const BoxId& box : gone) {
    const auto held = scene.view.assigned.find(box);
    if (held == scene.view.assigned.end()) continue;
    if (judge_.returning(box, scene.now)) continue;
    const BoxHealth health = judge_.health(box);
    bool orphans = false;
    for (const AssignedCamera& assigned : held->second.document.cameras) {
      if (scene.touched.contains(assigned.id) || assigned.role != Role::serve) continue;
      if (!may_leave(scene, box, assigned.id)) continue;
      if (assigned.exclusive) {
        scene.release(box, assigned.id, Cause::lost_box);
        move_times_.begin_failover(assigned.id, box, judge_.gone_since(box).value_or(scene.now));
      } else if (health == BoxHealth::lost) {
        orphans = true;
      } else if (state_of(scene.view, box, assigned.id, assigned.epoch) == nullptr) {
        // The box serves what it has; of this camera it has not heard, and it may not for long.
        scene.draft.remove(box, assigned.id);
        scene.touched.insert(assigned.id);
        course_.reset();
        fail_over_from(box, assigned.id, scene.now);
      }
    }
    if (orphans && scene.box(box) != nullptr) lost.push_back(box);
  }
  if (lost.empty()) return;
  const std::uint64_t key = inputs_key(scene);
  if (key == lost_key_) return;
  if (lost_again_ && lost_changes_ == judge_.changes() && scene.now < *lost_again_) return wake(*lost_again_);
  Assignment assignment = present(scene).assignment(settings_.plan.joint);
  bool waiting = false;
  for (const BoxId& box : lost) waiting = lose(scene, assignment, box) || waiting;
  if (!waiting && scene.draft.empty()) lost_key_ = key;
  lost_again_.reset();
  lost_changes_ = judge_.changes();
  if (waiting || scene.draft.empty()) lost_again_ = scene.now + settings_.again;
  if (waiting) wake(*lost_again_);
}

// The brake holds the others.
bool Planner::may_leave(const Scene& scene, const BoxId& lost, const TaskId& camera) const {
  if (!judge_.held(lost)) return true;
  const std::optional<int>& exempt = scene.view.problem.policy.brake_exempt_priority;
  const Camera* known = scene.camera(camera);
  return exempt && known != nullptr && known->task.priority >= *exempt;
}

// True if some cameras have to wait until others are served.
bool Planner::lose(Scene& scene, Assignment& assignment, const BoxId& box) {
  const Model& model = assignment.model();
  const std::vector<Box>& boxes = model.problem().boxes;
  const auto index =
      std::find_if(boxes.begin(), boxes.end(), [&](const Box& each) { return each.id == box; });
  const auto place = static_cast<std::size_t>(index - boxes.begin());
  const bool held = judge_.held(box);  // most of its cameras stay with it, and are to take no room
  const std::map<std::size_t, std::size_t> standby = standby_places(scene.view, model);
  if (held) assignment.lose(place);
  if (!held) (void)fail_over(assignment, place, settings_.plan.joint, standby);
  std::vector<std::size_t> orphans;  // also those that the box itself had no room for
  for (const AssignedCamera& assigned : scene.view.assigned.at(box).document.cameras) {
    if (scene.touched.contains(assigned.id) || assigned.role != Role::serve) continue;
    const std::size_t orphan = scene.bearings.camera(assigned.id);
    if (orphan != kNone && may_leave(scene, box, assigned.id)) orphans.push_back(orphan);
  }
  bool waiting = false;
  for (const std::size_t orphan : by_importance(model, orphans)) {
    const Camera& camera = model.problem().cameras[orphan];
    if (held && !insert_on_standby(assignment, orphan, settings_.plan.joint, standby))
      (void)assignment.insert(orphan, settings_.plan.joint, true);
    if (assignment.served(orphan).off()) (void)assignment.insert(orphan, settings_.plan.joint, false);
    const Served& served = assignment.served(orphan);
    if (served.off()) continue;  // it stays assigned where it was, should that box return
    const BoxId& to = boxes[served.box].id;
    if (scene.closed(to)) continue;
    if (not_serving(scene, to) >= settings_.starting) {
      waiting = true;
      continue;
    }
    scene.draft.add(to, camera, Role::serve, Cause::lost_box);
    scene.draft.hand_on(box, camera.task.id, to);
    course_.reset();
    scene.touched.insert(camera.task.id);
    fail_over_from(box, camera.task.id, scene.now);
  }
  return waiting;
}

void Planner::fail_over_from(const BoxId& box, const TaskId& camera, TimePoint now) {
  if (failed_over_.emplace(camera, box).second) ++figures_.failovers;
  move_times_.begin_failover(camera, box, judge_.gone_since(box).value_or(now));
}

// Why a camera without a box is given to one.
Cause Planner::cause_of_placing(const TaskId& id) const {
  const auto found = freed_.find(id);
  return found == freed_.end() || found->second == Cause::unknown ? Cause::placed : found->second;
}

void Planner::homeless(Scene& scene) {
  std::vector<std::size_t> cameras;
  for (const std::size_t i : scene.bearings.homeless()) {
    const TaskId& id = scene.view.problem.cameras[i].task.id;
    if (!scene.released.contains(id) && !scene.touched.contains(id)) cameras.push_back(i);
  }
  if (cameras.empty()) return;
  const std::uint64_t key = inputs_key(scene);
  const bool tried = key == homeless_key_ || key == settled_key_;
  if (tried && !scene.frees) return;  // who is freed, the key does not know
  if (cameras.size() > kFewHomeless) {
    due_ = std::min(*due_, scene.now + settings_.coalesce);
    return;
  }
  Assignment assignment = present(scene).assignment(settings_.plan.joint);
  const Model& model = assignment.model();
  const Problem& problem = model.problem();
  bool waiting = false;
  for (const std::size_t i : by_importance(model, cameras)) {
    const Camera& camera = problem.cameras[i];
    const bool placed =
        assignment.insert(i, settings_.plan.joint, true) || assignment.insert(i, settings_.plan.joint, false);
    if (!placed || assignment.served(i).off()) continue;
    const BoxId& to = problem.boxes[assignment.served(i).box].id;
    if (scene.closed(to)) continue;
    waiting = waiting || not_serving(scene, to) >= settings_.starting;
    if (not_serving(scene, to) >= settings_.starting) continue;
    scene.draft.add(to, camera, Role::serve, cause_of_placing(camera.task.id));
    scene.touched.insert(camera.task.id);
    course_.reset();
  }
  if (!waiting && scene.draft.empty()) homeless_key_ = key;
}

}  // namespace saccade::fleet
