#include "fleet/control/bearings.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "fleet/model.hpp"

namespace saccade::fleet {

std::size_t Bearings::camera(const TaskId& id) const {
  const auto found = cameras_.find(id);
  return found == cameras_.end() ? kNone : found->second;
}

std::size_t Bearings::box(const BoxId& id) const {
  const auto found = boxes_.find(id);
  return found == boxes_.end() ? kNone : found->second;
}

const Whereabouts::Camera* Bearings::at(const TaskId& id) const {
  const auto found = where_.cameras.find(id);
  return found == where_.cameras.end() ? nullptr : &found->second;
}

std::vector<BoxId> Bearings::holders(const TaskId& id) const {
  std::vector<BoxId> boxes;
  const auto found = places_.find(id);
  if (found == places_.end()) return boxes;
  for (const Place& place : found->second) {
    if (boxes.empty() || boxes.back() != place.box) boxes.push_back(place.box);
  }
  return boxes;
}

bool Bearings::knows(const std::map<BoxId, Held<AssignDocument>>& assigned) const {
  return std::equal(
      told_.begin(), told_.end(), assigned.begin(), assigned.end(),
      [](const auto& told, const auto& held) { return told.second.revision == held.second.revision; });
}

void Bearings::follow(const FleetView& view) {
  if (problem_version_ != view.problem_version) begin(view);
  if (!knows(view.assigned)) {
    ++version_;
    std::vector<BoxId> gone;
    for (const auto& [box, told] : told_) {
      if (!view.assigned.contains(box)) gone.push_back(box);
    }
    for (const BoxId& box : gone) take(box, nullptr, view);
    for (const auto& [box, held] : view.assigned) {
      const auto told = told_.find(box);
      if (told == told_.end() || told->second.revision != held.revision) take(box, &held, view);
    }
  }
  if (plan_ == view.plan.revision) return;
  plan_ = view.plan.revision;
  for (const Released& each : view.plan.document.released) {
    if (places_.contains(each.camera)) suspects.insert(each.camera);
  }
}

void Bearings::begin(const FleetView& view) {
  const std::uint64_t version = version_;
  *this = {};
  version_ = version + 1;
  problem_version_ = view.problem_version;
  for (std::size_t i = 0; i < view.problem.boxes.size(); ++i) boxes_.emplace(view.problem.boxes[i].id, i);
  for (std::size_t i = 0; i < view.problem.cameras.size(); ++i) {
    const Camera& camera = view.problem.cameras[i];
    cameras_.emplace(camera.task.id, i);
    if (camera.task.active()) homeless_.insert(i);  // until an assignment names it
    if (camera.where.standby) kept_ready_.push_back(camera.task.id);
  }
}

// The assignment of a box as it is now; null: it has none any more.
void Bearings::take(const BoxId& box, const Held<AssignDocument>* held, const FleetView& view) {
  const Told before = std::exchange(told_[box], {});
  for (std::set<BoxId>* boxes : {&strangers_, &other_lease_}) boxes->erase(box);
  Told& told = told_[box];
  if (held != nullptr) {
    told = {held->revision, held->document.cameras, held->document.standby};
    if (!boxes_.contains(box)) strangers_.insert(box);
    const Duration lease = to_duration(view.problem.policy.lease);
    const bool usual = held->document.lease == lease && held->document.longest_lease == lease;
    if (!usual) other_lease_.insert(box);
  }
  note_standbys(box, before.standby, told.standby);
  for (const TaskId& id : note_cameras(box, before.cameras, told.cameras)) settle(id, view);
  if (held == nullptr) told_.erase(box);
}

// Most changes are of one camera: those before it and behind it are as they were.
std::set<TaskId> Bearings::note_cameras(const BoxId& box, const std::vector<AssignedCamera>& before,
                                        const std::vector<AssignedCamera>& now) {
  const auto [first, first_now] = std::mismatch(before.begin(), before.end(), now.begin(), now.end());
  const auto [last, last_now] = std::mismatch(before.rbegin(), std::make_reverse_iterator(first),
                                              now.rbegin(), std::make_reverse_iterator(first_now));
  std::set<TaskId> changed;
  for (auto camera = first; camera != last.base(); ++camera) {
    std::vector<Place>& places = places_[camera->id];
    places.erase(
        std::find(places.begin(), places.end(), Place{box, camera->role, camera->epoch, camera->cause}));
    changed.insert(camera->id);
  }
  for (auto camera = first_now; camera != last_now.base(); ++camera) {
    std::vector<Place>& places = places_[camera->id];
    const auto at = std::lower_bound(places.begin(), places.end(), box,
                                     [](const Place& place, const BoxId& each) { return place.box < each; });
    places.insert(at, {box, camera->role, camera->epoch, camera->cause});
    changed.insert(camera->id);
  }
  return changed;
}

void Bearings::note_standbys(const BoxId& box, const std::vector<StandbyCamera>& before,
                             const std::vector<StandbyCamera>& now) {
  if (before == now) return;
  for (const StandbyCamera& each : before) {
    standbys_in_question.insert(each.id);
    const auto boxes = standing_by_.find(each.id);
    if (boxes == standing_by_.end()) continue;  // named twice
    std::erase(boxes->second, box);
    if (boxes->second.empty()) standing_by_.erase(boxes);
  }
  for (const StandbyCamera& each : now) {
    standbys_in_question.insert(each.id);
    std::vector<BoxId>& boxes = standing_by_[each.id];
    const auto at = std::lower_bound(boxes.begin(), boxes.end(), box);
    if (at == boxes.end() || *at != box) boxes.insert(at, box);
  }
}

const std::vector<BoxId>& Bearings::standing_by(const TaskId& id) const {
  static const std::vector<BoxId> kNobody;
  const auto found = standing_by_.find(id);
  return found == standing_by_.end() ? kNobody : found->second;
}

void Bearings::question_standbys() {
  for (const auto& [id, boxes] : standing_by_) standbys_in_question.insert(id);
  standbys_in_question.insert(kept_ready_.begin(), kept_ready_.end());
}

void Bearings::question_standbys(const BoxId& box) {
  const auto told = told_.find(box);
  if (told == told_.end()) return;
  for (const StandbyCamera& each : told->second.standby) standbys_in_question.insert(each.id);
  for (const AssignedCamera& camera : told->second.cameras) {
    const TaskId& id = camera.id;
    if (std::binary_search(kept_ready_.begin(), kept_ready_.end(), id)) standbys_in_question.insert(id);
  }
}

// What follows from the places of a camera.
void Bearings::settle(const TaskId& id, const FleetView& view) {
  const auto places = places_.find(id);
  const bool nowhere = places->second.empty();
  Whereabouts::Camera here;
  for (const Place& place : places->second) {
    std::optional<Whereabouts::At>& of = place.role == Role::serve ? here.serve : here.take_over;
    if (!of || of->epoch < place.epoch) of = Whereabouts::At{place.box, place.epoch, place.cause};
  }
  taken_over_.erase(id);
  if (here.take_over) taken_over_.insert(id);
  const std::size_t configured = camera(id);
  const Whereabouts::Camera* before = at(id);
  const bool differs = nowhere ? before != nullptr : before == nullptr || *before != here;
  if (configured != kNone && differs) {
    moved.insert(configured);
    if (view.problem.cameras[configured].where.standby) standbys_in_question.insert(id);
  }
  if (configured != kNone) {
    homeless_.erase(configured);
    if (nowhere && view.problem.cameras[configured].task.active()) homeless_.insert(configured);
  }
  if (nowhere) {
    places_.erase(places);
    where_.cameras.erase(id);
    suspects.erase(id);
  } else {
    where_.cameras[id] = std::move(here);
    suspects.insert(id);
  }
}

}  // namespace saccade::fleet
