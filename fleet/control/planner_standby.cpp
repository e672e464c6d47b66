// The part of the planner that decides which boxes keep an engine ready for cameras of others, and tells
// boxes of their lease: what changes nothing of what is served, and so goes by itself, once nothing else is
// to be written.
#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "fleet/control/planner.hpp"
#include "fleet/control/scene.hpp"

namespace saccade::fleet {

// The certificate's backup box if that is of the box that serves the camera now; until there is one, the box
// that has stood by so far. It is needed at any moment once the box that serves is not alive: another one
// would have to load the engine first.
std::optional<BoxId> Planner::standby_of(const Scene& scene, const Camera& camera) const {
  if (!camera.where.standby || camera.exclusive || !camera.task.active()) return {};
  const TaskId& id = camera.task.id;
  const Whereabouts::Camera* at = scene.at(id);
  if (at == nullptr || !at->serve || at->take_over) return {};
  std::optional<BoxId> box;
  if (const auto& kept = scene.bearings.standing_by(id); !kept.empty()) box = kept.front();
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

// Another forecast puts all in question; a box whose health has changed, those that it serves, stands by for
// or is to stand by for.
void Planner::question_standbys(Bearings& bearings) const {
  std::optional<StandbysBy>& by = bearings.standbys_by;
  if (by && by->forecast == figures_.forecast && by->health_changes == judge_.changes()) return;
  std::map<BoxId, BoxHealth> away = judge_.away();
  if (!by || by->forecast != figures_.forecast) {
    bearings.question_standbys();
    by.emplace().forecast = figures_.forecast;
    if (by->forecast != nullptr) {
      for (const auto& [camera, box] : by->forecast->backups) by->backs_up[box].push_back(camera);
    }
  } else {
    std::vector<std::pair<BoxId, BoxHealth>> changed;
    std::set_symmetric_difference(by->away.begin(), by->away.end(), away.begin(), away.end(),
                                  std::back_inserter(changed));
    for (const auto& [box, health] : changed) {
      bearings.question_standbys(box);
      const auto backs_up = by->backs_up.find(box);
      if (backs_up == by->backs_up.end()) continue;
      bearings.standbys_in_question.insert(backs_up->second.begin(), backs_up->second.end());
    }
  }
  by->away = std::move(away);
  by->health_changes = judge_.changes();
}

void Planner::standbys(Scene& scene) const {
  if (!scene.bearings.standbys() || !scene.draft.empty()) return;
  question_standbys(scene.bearings);
  std::set<TaskId>& in_question = scene.bearings.standbys_in_question;
  std::map<BoxId, std::vector<StandbyCamera>> wanted;  // of boxes of cameras in question: those cameras
  std::set<TaskId> waiting;                            // for a box that is closed
  const auto concerns = [&](const BoxId& box, const TaskId& id) -> std::vector<StandbyCamera>& {
    if (scene.closed(box)) waiting.insert(id);
    return wanted[box];
  };
  for (const TaskId& id : in_question) {
    for (const BoxId& box : scene.bearings.standing_by(id)) (void)concerns(box, id);
    const Camera* camera = scene.camera(id);
    const auto task = scene.view.tasks.find(id);
    if (camera == nullptr || task == scene.view.tasks.end()) continue;
    if (const auto box = standby_of(scene, *camera)) concerns(*box, id).push_back({id, task->second});
  }
  for (auto& [box, cameras] : wanted) {
    if (scene.closed(box)) continue;
    if (scene.draft.documents() >= settings_.most_documents) break;  // the next step goes on
    for (const StandbyCamera& each : scene.draft.standby(box)) {
      if (!in_question.contains(each.id)) cameras.push_back(each);
    }
    std::sort(cameras.begin(), cameras.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
    if (scene.draft.standby(box) != cameras) scene.draft.set_standby(box, std::move(cameras));
  }
  if (scene.draft.empty()) in_question = std::move(waiting);
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
