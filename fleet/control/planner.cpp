#include "fleet/control/planner.hpp"

#include <algorithm>

#include "fleet/control/scene.hpp"

namespace saccade::fleet {
namespace {

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  return (hash ^ (word + 0x9E3779B97F4A7C15U + (hash << 6U) + (hash >> 2U))) * 0x100000001B3U;
}

}  // namespace

std::optional<Write> Planner::step(const FleetView& view, Term term, TimePoint now) {
  next_.reset();
  observe(view, now);
  bearings_.follow(view);
  Scene scene(view, bearings_, term, now);
  scene.draft.plan().store_term = view.store_term;
  const auto demanded = [&](const TaskId& id) {
    const Camera* camera = scene.camera(id);
    return camera != nullptr && camera->task.active();
  };
  move_times_.follow(view, bearings_.where(), demanded, now);
  tidy(scene);
  handovers(scene);
  releases(scene);
  losses(scene);
  homeless(scene);
  standbys(scene);
  leases(scene);
  round(scene);
  if (due_) wake(*due_);
  if (const auto next = judge_.next()) wake(*next);
  if (scene.draft.empty()) return {};
  return scene.draft.write(term, settings_.most_documents);
}

void Planner::observe(const FleetView& view, TimePoint now) {
  if (problem_version_ != view.problem_version) {
    judge_.follow(view.problem.policy);
    judge_.boxes(view.problem.boxes, now);
  }
  judge_.leases(view.alive, now);
  const std::int64_t known = view.plan.document.store_term;
  if (known != 0 && view.store_term != 0 && known != view.store_term) judge_.unsettle(now);
  judge_.step(now, [&](const BoxId& box) {
    const auto assigned = view.assigned.find(box);
    return assigned != view.assigned.end() && !assigned->second.document.cameras.empty();
  });
  if (closed_ != view.closed) ++closed_changes_;
  closed_ = view.closed;
  const bool configured = problem_version_ != view.problem_version;
  const bool changed = configured || seen_changes_ != judge_.changes();
  problem_version_ = view.problem_version;
  seen_changes_ = judge_.changes();
  const TimePoint soon = now + (configured ? settings_.coalesce : settings_.health);
  if (changed) due_ = std::min(due_.value_or(soon), soon);
  if (!due_) due_ = now + settings_.round;
}

void Planner::tidy(Scene& scene) {
  std::set<std::pair<BoxId, TaskId>> places;
  for (const TaskId& id : scene.bearings.suspects) {
    for (const BoxId& box : scene.bearings.holders(id)) places.emplace(box, id);
  }
  std::set<TaskId> changed;
  for (const auto& [box, id] : places) {
    for (const AssignedCamera& assigned : scene.view.assigned.at(box).document.cameras) {
      if (assigned.id == id && tidy(scene, box, assigned)) changed.insert(id);
    }
  }
  scene.bearings.suspects = std::move(changed);  // the others are in order
}

// What one assignment says of a camera; false: it is as it should be.
bool Planner::tidy(Scene& scene, const BoxId& box, const AssignedCamera& assigned) {
  const TaskId& id = assigned.id;
  const Camera* camera = scene.camera(id);
  const Whereabouts::Camera& at = *scene.at(id);
  const bool stale = assigned.role == Role::serve && at.serve->epoch != assigned.epoch;
  const bool known_box = scene.box(box) != nullptr;
  const bool ends = camera == nullptr || stale || scene.released.contains(id);
  // A write was cut before it told this box.
  if (camera != nullptr && stale && scene.box(at.serve->box) != nullptr) {
    scene.draft.hand_on(box, id, at.serve->box);
  } else if (ends || (!known_box && !camera->exclusive)) {
    scene.draft.remove(box, id);
  } else if (!known_box) {
    scene.release(box, id, Cause::unknown);
  } else {
    const auto task = scene.view.tasks.find(id);
    if (task == scene.view.tasks.end() || task->second == assigned.task) return false;
    if (scene.closed(box)) return true;
    scene.draft.set_task(box, id, task->second);
    return true;
  }
  scene.touched.insert(id);
  return true;
}

void Planner::handovers(Scene& scene) {
  std::map<Pair, TimePoint> running;
  const TimePoint in_time = scene.now + to_duration(scene.view.problem.policy.handover);
  for (const TaskId& id : scene.bearings.taken_over()) {
    const Pair pair{id, scene.at(id)->take_over->box};
    const auto known = deadline_.find(pair);
    running.emplace(pair, known == deadline_.end() ? in_time : known->second);
  }
  deadline_ = std::move(running);
  for (const auto& [pair, deadline] : deadline_) {
    const Camera* camera = scene.camera(pair.first);
    if (camera == nullptr || scene.touched.contains(pair.first)) continue;
    hand_over(scene, *camera, *scene.at(pair.first));
  }
}

void Planner::hand_over(Scene& scene, const Camera& camera, const Whereabouts::Camera& at) {
  const TaskId& id = camera.task.id;
  const BoxId& taker = at.take_over->box;
  const CameraState* state = state_of(scene.view, taker, id, at.take_over->epoch);
  const TimePoint deadline = deadline_.at({id, taker});
  const bool taker_lost = judge_.health(taker) == BoxHealth::lost;
  const bool alone = !at.serve || judge_.health(at.serve->box) == BoxHealth::lost;
  const bool serves = state != nullptr && state->status == CameraStatus::serving;
  const bool failed = state != nullptr && state->status == CameraStatus::failed;
  if (!taker_lost && (alone || serves)) {
    scene.draft.set_role(taker, id, Role::serve);
    if (at.serve) scene.draft.hand_on(at.serve->box, id, taker);
  } else if (taker_lost || failed || scene.now >= deadline) {
    scene.draft.remove(taker, id);
    excluded_[{id, taker}] = scene.now + settings_.exclusion;
    ++figures_.withdrawn;
  } else {
    wake(deadline);
    return;
  }
  scene.touched.insert(id);
}

bool Planner::fenced(const Scene& scene, const Released& released) {
  const TimePoint seen = released_.at(released.camera);
  std::optional<TimePoint> gone = judge_.gone_since(released.from);
  if (const auto stray = strays_.find(released.from); !gone && stray != strays_.end()) gone = stray->second;
  const auto assigned = scene.view.assigned.find(released.from);
  if (gone) {
    const Duration longest = assigned == scene.view.assigned.end()
                                 ? lease_order(scene.view, released.from).longest
                                 : assigned->second.document.longest_lease;
    const TimePoint fence = std::max(*gone, seen) + to_duration(to_seconds(longest) * settings_.fence);
    if (scene.now >= fence) return true;
    wake(fence);
  }
  const auto state = scene.view.states.find(released.from);
  if (assigned == scene.view.assigned.end()) return !gone;
  if (state == scene.view.states.end() || state->second.document.applied < assigned->second.revision) {
    return false;
  }
  const std::vector<CameraState>& cameras = state->second.document.cameras;
  return std::none_of(cameras.begin(), cameras.end(),
                      [&](const CameraState& each) { return each.id == released.camera; });
}

void Planner::releases(Scene& scene) {
  std::erase_if(freed_, [&](const auto& freed) {
    return scene.at(freed.first) != nullptr || scene.camera(freed.first) == nullptr;
  });
  std::map<TaskId, TimePoint> seen;
  for (const Released& each : scene.view.plan.document.released) {
    const auto known = released_.find(each.camera);
    seen.emplace(each.camera, known == released_.end() ? scene.now : known->second);
    if (scene.touched.contains(each.camera)) seen[each.camera] = scene.now;  // it is still on a box
  }
  released_ = std::move(seen);
  // The judge knows the boxes of the fleet alone.
  std::map<BoxId, TimePoint> strays;
  for (const Released& each : scene.view.plan.document.released) {
    if (scene.view.alive.contains(each.from) || judge_.gone_since(each.from)) continue;
    const auto known = strays_.find(each.from);
    strays.emplace(each.from, known == strays_.end() ? scene.now : known->second);
  }
  strays_ = std::move(strays);
  for (const Released& each : scene.view.plan.document.released) {
    if (scene.touched.contains(each.camera) || !fenced(scene, each)) continue;
    std::erase(scene.draft.plan().released, each);
    scene.released.erase(each.camera);  // homeless from here on
    freed_[each.camera] = each.cause;
    scene.frees = true;
    --scene.in_flight;
  }
}

std::size_t Planner::not_serving(const Scene& scene, const BoxId& box) const {
  std::size_t count = 0;
  for (const AssignedCamera& camera : scene.draft.cameras(box)) {
    const CameraState* state = state_of(scene.view, box, camera.id, camera.epoch);
    count += state == nullptr || state->status != CameraStatus::serving ? 1 : 0;
  }
  return count;
}

std::uint64_t Planner::inputs_key(const Scene& scene) const {
  const FleetView& view = scene.view;
  std::uint64_t key = mixed(view.problem_version, judge_.changes());
  key = mixed(key, static_cast<std::uint64_t>(view.plan.revision));  // also of releases that have ended
  key = mixed(key, scene.bearings.version());                        // of the assignments
  key = mixed(key, closed_changes_);
  return key == 0 ? 1 : key;
}

PresentFleet& Planner::present(Scene& scene) {
  present_.follow(scene.view, scene.bearings, judge_.changes(),
                  [this](const BoxId& box) { return judge_.health(box); });
  return present_;
}

}  // namespace saccade::fleet
