// The part of the planner that decides which boxes keep an engine ready for cameras of others, and tells
// boxes of their lease: what changes nothing of what is served, and so goes by itself, once nothing else is
// to be written.
#include <algorithm>

#include "fleet/control/planner.hpp"
#include "fleet/control/scene.hpp"

namespace saccade::fleet {

// The certificate's backup box if that is of the box that serves the camera now; until there is one, the box
// that has stood by so far. It is needed at any moment once the box that serves is not alive: another one
// would have to load the engine first.
std::optional<BoxId> Planner::standby_of(const Scene& scene, const Camera& camera,
                                         const std::map<TaskId, BoxId>& present) const {
  if (!camera.where.standby || camera.exclusive || !camera.task.active()) return {};
  const TaskId& id = camera.task.id;
  const Whereabouts::Camera* at = scene.at(id);
  if (at == nullptr || !at->serve || at->take_over) return {};
  std::optional<BoxId> box;
  if (const auto kept = present.find(id); kept != present.end()) box = kept->second;
  const bool keep = box && judge_.health(at->serve->box) != BoxHealth::alive;
  if (const Forecast* forecast = figures_.forecast.get(); forecast != nullptr && !keep) {
    const auto planned = forecast->cameras.find(id);
    const auto backup = forecast->backups.find(id);
    const bool of_this_box = planned != forecast->cameras.end() && planned->second.box == at->serve->box;
    if (of_this_box) box = backup == forecast->backups.end() ? std::nullopt : std::optional(backup->second);
  }
  if (!box || *box == at->serve->box || judge_.health(*box) == BoxHealth::lost) return {};
  const Box* known = scene.box(*box);
  const bool may = known != nullptr && known->state == BoxState::active && allows(camera.where, *known) &&
                   known->features.contains(kStandbyFeature);
  return may ? box : std::nullopt;
}

void Planner::standbys(Scene& scene) const {
  if (!scene.bearings.standbys() || !scene.draft.empty()) return;
  const auto by = std::pair(figures_.forecast, judge_.changes());
  if (scene.bearings.standing_by == by) return;
  std::map<TaskId, BoxId> present;
  std::map<BoxId, std::vector<StandbyCamera>> wanted;
  for (const auto& [box, held] : scene.view.assigned) {
    if (!held.document.standby.empty()) wanted[box];
    for (const StandbyCamera& each : held.document.standby) present.emplace(each.id, box);
  }
  for (const std::size_t i : scene.bearings.kept_ready()) {  // by id
    const Camera& camera = scene.view.problem.cameras[i];
    const std::optional<BoxId> box = standby_of(scene, camera, present);
    const auto task = scene.view.tasks.find(camera.task.id);
    if (box && task != scene.view.tasks.end()) wanted[*box].push_back({camera.task.id, task->second});
  }
  for (auto& [box, cameras] : wanted) {
    if (scene.draft.documents() >= settings_.most_documents) break;  // the next step goes on
    if (scene.draft.standby(box) != cameras) scene.draft.set_standby(box, std::move(cameras));
  }
  if (scene.draft.empty()) scene.bearings.standing_by = by;
}

void Planner::leases(Scene& scene) const {
  if (!scene.draft.empty()) return;
  for (const BoxId& box : scene.bearings.other_lease()) {
    if (scene.draft.documents() >= settings_.most_documents) break;  // the next step goes on
    const AssignDocument& document = scene.view.assigned.at(box).document;
    const LeaseOrder said{document.lease, document.longest_lease};
    if (said != lease_order(scene.view, box)) scene.draft.write_again(box);
  }
}

}  // namespace saccade::fleet
