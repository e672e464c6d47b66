#include "fleet/control/agent.hpp"

#include <algorithm>
#include <set>

namespace saccade::fleet {

void Agent::boot(std::optional<Held<AssignDocument>> saved, TimePoint now) {
  if (saved) {
    term_ = saved->document.term;
    applied_ = saved->revision;
    adopt(saved->document, now);
    for (auto& [id, each] : moved_) each.until = now;  // how long ago it was, the document does not say
  }
  step(now);
}

bool Agent::assigned(const Held<AssignDocument>& assignment, TimePoint now) {
  if (assignment.document.term < term_ || assignment.revision < applied_) {
    ++refused_;
    return false;
  }
  if (assignment.revision == applied_) return true;  // a repeated one
  term_ = assignment.document.term;
  applied_ = assignment.revision;
  adopt(assignment.document, now);
  actions_.emplace_back(agent::Save{assignment});
  step(now);
  return true;
}

void Agent::adopt(const AssignDocument& document, TimePoint now) {
  changed_ = true;
  lease_ = document.lease;
  longest_lease_ = document.longest_lease;
  if (standby_ != document.standby) {
    standby_ = document.standby;
    standby_changed_ = true;
  }
  std::set<TaskId> wanted;
  for (const AssignedCamera& camera : document.cameras) {
    wanted.insert(camera.id);
    Camera& held = cameras_[camera.id];
    const bool same = held.of.epoch == camera.epoch && held.of.task == camera.task;
    if (!same && held.running) stop(held);
    if (!same) held.status = CameraStatus::starting;
    held.of = camera;
  }
  for (auto it = cameras_.begin(); it != cameras_.end();) {
    if (wanted.contains(it->first)) {
      ++it;
      continue;
    }
    if (it->second.running) stop(it->second);
    it = cameras_.erase(it);
  }
  follow_moved(document.moved, now);
}

// An assignment names them for longer than it is told.
void Agent::follow_moved(const std::vector<MovedCamera>& moved, TimePoint now) {
  std::map<TaskId, Moved> followed;
  for (const MovedCamera& each : moved) {
    const auto known = moved_.find(each.id);
    const bool same = known != moved_.end() && known->second.to.epoch == each.epoch;
    followed[each.id] = {each, same ? known->second.until : now + kTellMoved};
  }
  moved_ = std::move(followed);
}

std::vector<MovedCamera> Agent::moved(TimePoint now) const {
  std::vector<MovedCamera> moved;
  for (const auto& [id, each] : moved_) {
    if (now < each.until && !cameras_.contains(id)) moved.push_back(each.to);
  }
  return moved;
}

void Agent::leased(TimePoint until, TimePoint now) {
  leased_until_ = until;
  step(now);
}

void Agent::report(const TaskId& id, std::int64_t epoch, CameraStatus status, const std::string& reason,
                   TimePoint now) {
  const auto found = cameras_.find(id);
  if (found == cameras_.end() || found->second.of.epoch != epoch || !found->second.running) return;
  Camera& camera = found->second;
  changed_ = changed_ || camera.status != status || camera.reason != reason;
  camera.status = status;
  camera.reason = status == CameraStatus::failed ? reason : std::string{};
  if (status == CameraStatus::failed) {
    camera.running = false;
    camera.failed_at = now;
  }
  step(now);
}

void Agent::ready(std::vector<TaskId> standby, TimePoint now) {
  std::sort(standby.begin(), standby.end());
  changed_ = changed_ || ready_ != standby;
  ready_ = std::move(standby);
  step(now);
}

void Agent::start(Camera& camera) {
  changed_ = true;
  camera.running = true;
  camera.status = CameraStatus::starting;
  camera.reason.clear();
  actions_.emplace_back(agent::Start{camera.of});
}

void Agent::stop(Camera& camera) {
  changed_ = true;
  camera.running = false;
  camera.status = CameraStatus::starting;
  actions_.emplace_back(agent::Stop{camera.of.id, camera.of.epoch});
}

void Agent::step(TimePoint now) {
  for (auto& [id, camera] : cameras_) {
    const bool allowed = !camera.of.exclusive || (leased_until_ && now < *leased_until_);
    const bool failed = camera.status == CameraStatus::failed && now < camera.failed_at + kRetryFailed;
    if (camera.running && !allowed) stop(camera);
    if (!camera.running && allowed && !failed) start(camera);
  }
  // After the starts: one of them may need the engine that is ready.
  if (std::exchange(standby_changed_, false)) actions_.emplace_back(agent::StandBy{standby_});
  publish(now);
}

StateDocument Agent::state() const {
  StateDocument state;
  state.applied = applied_;
  for (const auto& [id, camera] : cameras_) {
    if (!camera.running && camera.status != CameraStatus::failed) continue;
    state.cameras.push_back({id, camera.of.epoch, camera.status, camera.reason});
  }
  for (const StandbyCamera& camera : standby_) {
    if (std::binary_search(ready_.begin(), ready_.end(), camera.id)) state.standby.push_back(camera.id);
  }
  return state;
}

void Agent::publish(TimePoint now) {
  if (!changed_ || (published_at_ && now < *published_at_ + kPublishInterval)) return;
  changed_ = false;
  StateDocument current = state();
  if (published_ == current) return;
  actions_.emplace_back(agent::Publish{current});
  published_ = std::move(current);
  published_at_ = now;
}

std::optional<TimePoint> Agent::next() const {
  std::optional<TimePoint> next;
  const auto no_later = [&](TimePoint at) { next = next ? std::min(*next, at) : at; };
  for (const auto& [id, camera] : cameras_) {
    if (camera.of.exclusive && camera.running && leased_until_) no_later(*leased_until_);
    if (!camera.running && camera.status == CameraStatus::failed) no_later(camera.failed_at + kRetryFailed);
  }
  if (changed_) no_later(published_at_ ? *published_at_ + kPublishInterval : TimePoint{});
  return next;
}

}  // namespace saccade::fleet
