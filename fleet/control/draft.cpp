#include "fleet/control/draft.hpp"

#include <algorithm>
#include <functional>

namespace saccade::fleet {

const char* to_string(Cause cause) {
  switch (cause) {
    case Cause::unknown:
      return "unknown";
    case Cause::placed:
      return "placed";
    case Cause::lost_box:
      return "lost_box";
    case Cause::drain:
      return "drain";
    case Cause::order:
      return "order";
    case Cause::improvement:
      return "improvement";
    case Cause::unserved:
      return "unserved";
  }
  return "";
}

Whereabouts whereabouts(const std::map<BoxId, Held<AssignDocument>>& assigned) {
  Whereabouts where;
  for (const auto& [box, held] : assigned) {
    for (const AssignedCamera& camera : held.document.cameras) {
      Whereabouts::Camera& at = where.cameras[camera.id];
      std::optional<Whereabouts::At>& place = camera.role == Role::serve ? at.serve : at.take_over;
      if (!place || place->epoch < camera.epoch) place = Whereabouts::At{box, camera.epoch, camera.cause};
    }
  }
  return where;
}

const CameraState* state_of(const FleetView& view, const BoxId& box, const TaskId& camera,
                            std::int64_t epoch) {
  const auto state = view.states.find(box);
  if (state == view.states.end()) return nullptr;
  for (const CameraState& each : state->second.document.cameras) {
    if (each.id == camera && each.epoch == epoch) return &each;
  }
  return nullptr;
}

LeaseOrder lease_order(const FleetView& view, const BoxId& box) {
  const Duration wanted = to_duration(view.problem.policy.lease);
  const auto held = view.assigned.find(box);
  if (held == view.assigned.end()) return {wanted, std::max(wanted, kUsualLease)};
  const AssignDocument& before = held->second.document;
  const auto alive = view.alive.find(box);
  const auto state = view.states.find(box);
  const bool follows = before.lease == wanted && alive != view.alive.end() && alive->second <= wanted &&
                       state != view.states.end() && state->second.document.applied >= held->second.revision;
  return {wanted, follows ? wanted : std::max(wanted, before.longest_lease)};
}

const AssignDocument* Draft::document(const BoxId& box) const {
  const auto found = view_.assigned.find(box);
  return found == view_.assigned.end() ? nullptr : &found->second.document;
}

const std::vector<AssignedCamera>& Draft::cameras(const BoxId& box) const {
  static const std::vector<AssignedCamera> none;
  const auto edited = edited_.find(box);
  if (edited != edited_.end()) return edited->second.cameras;
  const AssignDocument* held = document(box);
  return held == nullptr ? none : held->cameras;
}

const std::vector<StandbyCamera>& Draft::standby(const BoxId& box) const {
  static const std::vector<StandbyCamera> none;
  const auto edited = edited_.find(box);
  if (edited != edited_.end()) return edited->second.standby;
  const AssignDocument* held = document(box);
  return held == nullptr ? none : held->standby;
}

Draft::Edited& Draft::edited(const BoxId& box) {
  const auto known = edited_.find(box);
  if (known != edited_.end()) return known->second;
  const AssignDocument* held = document(box);
  Edited copy{cameras(box), standby(box), held == nullptr ? std::vector<MovedCamera>{} : held->moved};
  return edited_.emplace(box, std::move(copy)).first->second;
}

void Draft::add(const BoxId& box, const Camera& camera, Role role, Cause cause) {
  std::vector<AssignedCamera>& cameras = edit(box);
  const auto task = view_.tasks.find(camera.task.id);
  AssignedCamera added{camera.task.id,
                       ++plan_.last_epoch,
                       role,
                       camera.exclusive,
                       task == view_.tasks.end() ? std::string{} : task->second,
                       cause};
  std::erase_if(cameras, [&](const AssignedCamera& each) { return each.id == added.id; });
  const auto at =
      std::lower_bound(cameras.begin(), cameras.end(), added,
                       [](const AssignedCamera& a, const AssignedCamera& b) { return a.id < b.id; });
  cameras.insert(at, std::move(added));
  std::erase_if(edited(box).standby, [&](const StandbyCamera& each) { return each.id == camera.task.id; });
  std::erase_if(edited(box).moved, [&](const MovedCamera& each) { return each.id == camera.task.id; });
}

void Draft::remove(const BoxId& box, const TaskId& camera) {
  std::erase_if(edit(box), [&](const AssignedCamera& each) { return each.id == camera; });
}

void Draft::hand_on(const BoxId& from, const TaskId& camera, const BoxId& to) {
  remove(from, camera);
  std::vector<MovedCamera>& moved = edited(from).moved;
  std::erase_if(moved, [&](const MovedCamera& each) { return each.id == camera; });
  const auto api = view_.apis.find(to);
  for (const AssignedCamera& each : cameras(to)) {
    if (each.id != camera) continue;
    moved.push_back({camera, each.epoch, to, api == view_.apis.end() ? std::string{} : api->second});
  }
  if (moved.size() > kMostMoved) moved.erase(moved.begin());
  // What its store has of it already needs no order, and would make a circle with what comes back.
  const AssignDocument* held = document(to);
  const bool has_it =
      held != nullptr && std::any_of(held->cameras.begin(), held->cameras.end(), [&](const auto& each) {
        return each.id == camera && each.role == Role::serve;
      });
  if (!has_it) edited(from).handed_to.insert(to);
}

void Draft::set_role(const BoxId& box, const TaskId& camera, Role role) {
  for (AssignedCamera& each : edit(box)) {
    if (each.id == camera) each.role = role;
  }
}

void Draft::set_task(const BoxId& box, const TaskId& camera, const std::string& task) {
  for (AssignedCamera& each : edit(box)) {
    if (each.id == camera) each.task = task;
  }
}

bool Draft::empty() const { return edited_.empty() && plan_ == view_.plan.document; }

std::vector<BoxId> Draft::in_order() const {
  std::vector<BoxId> order;
  std::set<BoxId> seen;
  const std::function<void(const BoxId&)> append = [&](const BoxId& box) {
    const auto found = edited_.find(box);
    if (found == edited_.end() || !seen.insert(box).second) return;
    for (const BoxId& to : found->second.handed_to) append(to);
    order.push_back(box);
  };
  for (const auto& [box, edited] : edited_) append(box);
  return order;
}

Write Draft::write(Term term, std::size_t most) const {
  Write write;
  write.plan = plan_;
  write.plan.term = term;
  for (const BoxId& box : in_order()) {
    if (write.assigned.size() == most) break;
    const Edited& edited = edited_.at(box);
    const LeaseOrder order = lease_order(view_, box);
    write.assigned.emplace_back(box, AssignDocument{term, plan_.number, edited.cameras, order.lease,
                                                    order.longest, edited.standby, edited.moved});
  }
  return write;
}

}  // namespace saccade::fleet
