#include "fleet_simulation/witness.hpp"

#include <algorithm>

namespace saccade::fleet_simulation {

Witness::Witness(const fleet::Problem& problem, const std::set<TaskId>& served) {
  for (const fleet::Camera& camera : problem.cameras) {
    Seen seen;
    seen.exclusive = camera.exclusive;
    seen.expected = served.contains(camera.task.id);
    cameras_.emplace(camera.task.id, std::move(seen));
  }
  const double share = problem.policy.moves_per_hour;
  if (share > 0.0) moves_per_hour_ = std::max(1.0, share * static_cast<double>(problem.cameras.size()));
}

void Witness::improved(std::int64_t epoch, TimePoint now) {
  improved_.insert(epoch);
  const double hours = since_start(now).value() / 3600.0;
  const double most = moves_per_hour_ * (1.0 + hours);  // what was saved in an hour before, too
  if (static_cast<double>(improved_.size()) > most) {
    breach(now, "budget", std::to_string(improved_.size()) + " cameras moved for improvement");
  }
}

void Witness::breach(TimePoint now, std::string invariant, std::string found) {
  if (!breach_) breach_ = Breach{now, std::move(invariant), std::move(found)};
}

// After the set of boxes that serve it has changed.
void Witness::change(Seen& seen, std::size_t before, TimePoint now) {
  const std::size_t count = seen.serving.size();
  const bool same = count == before || (count > 1 && before > 1);
  if (same) return;
  if (before == 0 && count > 0 && seen.ever && seen.configured) gaps_.push_back(now - seen.since);
  seen.ever = seen.ever || count > 0;
  seen.since = now;
}

void Witness::started(std::size_t box, const TaskId& camera, std::int64_t epoch, bool restarted,
                      TimePoint now) {
  Seen& seen = cameras_.at(camera);
  const auto known = seen.epochs.emplace(epoch, box);
  if (known.first->second != box) {
    breach(now, "epoch", camera.str() + " has epoch " + std::to_string(epoch) + " on two boxes");
  }
  if (restarted && !seen.exclusive) breach(now, "no restart", camera.str() + " was started again");
  seen.open.insert(box);
  if (seen.exclusive && seen.open.size() > 1) breach(now, "exclusive", camera.str() + " is on two boxes");
}

void Witness::serves(std::size_t box, const TaskId& camera, TimePoint now) {
  Seen& seen = cameras_.at(camera);
  const std::size_t before = seen.serving.size();
  seen.serving.insert(box);
  change(seen, before, now);
}

void Witness::ended(std::size_t box, const TaskId& camera, TimePoint now) {
  Seen& seen = cameras_.at(camera);
  const std::size_t before = seen.serving.size();
  seen.open.erase(box);
  seen.serving.erase(box);
  change(seen, before, now);
}

void Witness::box_halted(std::size_t box, TimePoint now) {
  for (auto& [id, seen] : cameras_) {
    if (seen.open.contains(box)) ended(box, id, now);
  }
}

void Witness::box_resumed(std::size_t box, const std::map<TaskId, bool>& open, TimePoint now) {
  for (const auto& [id, served] : open) {
    Seen& seen = cameras_.at(id);
    seen.open.insert(box);
    if (seen.exclusive && seen.open.size() > 1) breach(now, "exclusive", id.str() + " is on two boxes");
    if (served) serves(box, id, now);
  }
}

void Witness::stopped_by_order(std::size_t box, const TaskId& camera, bool cut, TimePoint now) {
  if (cut && !cameras_.at(camera).exclusive) {
    breach(now, "autonomy", "a box without the store stopped " + camera.str());
  }
  ended(box, camera, now);
}

void Witness::configured(const TaskId& camera, bool is, TimePoint now) {
  Seen& seen = cameras_.at(camera);
  seen.configured = is;
  seen.ever = false;
  seen.since = now;
}

void Witness::look_at(const TaskId& id, const Seen& seen, TimePoint now, TimePoint calm_since) {
  const std::size_t count = seen.serving.size();
  if (now < calm_since + kCalmBound) return;
  const Duration lasts = now - std::max(seen.since, calm_since + kCalmBound - kGapBound);
  if (seen.configured && seen.expected && count == 0 && lasts > kGapBound) {
    breach(now, "served", id.str() + " is on no box");
  }
  if (count > 1 && now - seen.since > kTwiceBound) breach(now, "once", id.str() + " is on two boxes");
  if (!seen.configured && count > 0) breach(now, "served", id.str() + " is not configured and is served");
}

void Witness::look(TimePoint now, std::optional<TimePoint> calm_since) {
  for (const auto& [id, seen] : cameras_) {
    if (seen.expected && seen.configured) {
      ++looked_;
      unserved_ += seen.serving.empty() ? 1 : 0;
    }
    if (calm_since) look_at(id, seen, now, *calm_since);
  }
}

void Witness::report(SimulationResult& result) const {
  result.breach = breach_;
  result.improvements = static_cast<std::int64_t>(improved_.size());
  std::vector<Duration> gaps = gaps_;
  std::sort(gaps.begin(), gaps.end());
  result.gaps = static_cast<std::int64_t>(gaps.size());
  if (!gaps.empty()) {
    result.median_gap = gaps[gaps.size() / 2];
    result.worst_gap = gaps.back();
  }
  if (looked_ > 0) result.unserved_share = static_cast<double>(unserved_) / static_cast<double>(looked_);
}

}  // namespace saccade::fleet_simulation
