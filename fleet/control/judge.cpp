#include "fleet/control/judge.hpp"

#include <algorithm>
#include <cmath>

namespace saccade::fleet {
namespace {

constexpr std::size_t kBrakeLeast = 3;
constexpr std::size_t kLabelLeast = 4;
constexpr int kProbes = 2;

}  // namespace

const char* to_string(BoxHealth health) {
  switch (health) {
    case BoxHealth::alive:
      return "alive";
    case BoxHealth::silent:
      return "silent";
    case BoxHealth::detached:
      return "detached";
    case BoxHealth::lost:
      return "lost";
  }
  return "";
}

void Judge::follow(const FleetPolicy& policy) {
  settings_.lease = to_duration(policy.lease);
  settings_.settle = to_duration(policy.settle);
  settings_.brake_share = policy.brake_share;
}

void Judge::boxes(const std::vector<Box>& boxes, TimePoint now) {
  std::map<BoxId, Seen> kept;
  for (const Box& box : boxes) {
    const auto known = boxes_.find(box.id);
    Seen seen;
    seen.gone = now;
    seen.ask = now;
    if (known != boxes_.end()) seen = known->second;
    seen.labels = box.labels;
    seen.autonomy = to_duration(box.autonomy);
    seen.retired = box.state == BoxState::retired;
    if (seen.retired && seen.held) {
      seen.held = false;
      ++changes_;
    }
    kept.emplace(box.id, std::move(seen));
  }
  boxes_ = std::move(kept);
  away_.clear();
  for (const auto& [id, seen] : boxes_) {
    if (seen.health != BoxHealth::alive) away_.insert(id);
  }
}

void Judge::set_can_probe(const BoxId& box, bool can) {
  const auto found = boxes_.find(box);
  if (found != boxes_.end()) found->second.can_probe = can;
}

void Judge::lease(const BoxId& box, bool held, TimePoint now) {
  const auto found = boxes_.find(box);
  if (found != boxes_.end()) lease(box, found->second, held, now);
}

void Judge::leases(const std::map<BoxId, Duration>& held, TimePoint now) {
  auto at = held.begin();
  for (auto& [id, seen] : boxes_) {
    while (at != held.end() && at->first < id) ++at;
    lease(id, seen, at != held.end() && at->first == id, now);
  }
}

void Judge::lease(const BoxId& box, Seen& seen, bool held, TimePoint now) {
  if (held == (seen.health == BoxHealth::alive)) return;
  ++changes_;
  if (held) away_.erase(box);
  if (!held) away_.insert(box);
  seen.health = held ? BoxHealth::alive : BoxHealth::silent;
  seen.held = false;
  seen.released = false;
  seen.in_touch = false;
  seen.gone = now;
  seen.ask = now;
  seen.unanswered = 0;
}

void Judge::probed(const BoxId& box, bool answered, TimePoint now, std::optional<Duration> reached) {
  const auto found = boxes_.find(box);
  if (found == boxes_.end() || found->second.health == BoxHealth::alive) return;
  Seen& seen = found->second;
  seen.unanswered = answered ? 0 : seen.unanswered + 1;
  seen.in_touch = answered && reached && *reached < settings_.lease / 2;
  const bool known_detached = answered && seen.health == BoxHealth::detached;
  if (answered && !known_detached) {
    seen.health = BoxHealth::detached;
    seen.held = false;
    ++changes_;
  }
  const bool soon = !answered || (seen.in_touch && now < seen.gone + settings_.lease);
  seen.ask = now + (soon ? settings_.between_probes : settings_.probe_detached);
}

void Judge::unsettle(TimePoint now) {
  settled_ = now + settings_.settle;
  for (auto& [id, seen] : boxes_) seen.unanswered = 0;
}

void Judge::release() {
  for (auto& [id, seen] : boxes_) {
    if (!seen.held) continue;
    seen.held = false;
    seen.counts = false;
    seen.released = true;
    ++changes_;
  }
}

void Judge::lose(const BoxId& box, Seen& seen, TimePoint now, const HasCameras& has_cameras) {
  seen.health = BoxHealth::lost;
  seen.lost = now;
  seen.counts =
      !seen.released && (!has_cameras || has_cameras(box));  // its cameras may be gone a moment later
  ++changes_;
  brake(now);
}

TimePoint Judge::lost_at(const Seen& seen) const {
  const Duration least = seen.can_probe ? Duration{} : 3 * settings_.lease;
  return std::max(settled_, seen.gone + std::max(least, seen.autonomy));
}

void Judge::step(TimePoint now, const HasCameras& has_cameras) {
  for (const BoxId& id : away_) {
    Seen& seen = boxes_.at(id);
    if (seen.health == BoxHealth::lost) {
      if (!seen.can_probe || now < seen.ask) continue;
      probes_.push_back(id);  // a lost box that answers again is detached
      seen.ask = now + settings_.probe_detached;
      continue;
    }
    if (!seen.can_probe) {
      if (now >= lost_at(seen)) lose(id, seen, now, has_cameras);
      continue;
    }
    if (seen.unanswered >= kProbes && now >= lost_at(seen)) {
      lose(id, seen, now, has_cameras);
    } else if (now >= seen.ask) {
      probes_.push_back(id);
      seen.ask = now + settings_.probe_detached;  // unless the answer comes earlier
    }
  }
}

// Holds those lost within the window if they are more than `limit`.
void Judge::hold(const std::vector<Seen*>& lost, std::size_t limit) {
  if (lost.size() <= limit) return;
  for (Seen* seen : lost) seen->held = true;
}

void Judge::brake(TimePoint now) {
  std::vector<Seen*> all;
  std::map<std::pair<std::string, std::string>, std::vector<Seen*>> by_label;
  std::map<std::pair<std::string, std::string>, std::size_t> count;
  std::size_t boxes = 0;
  for (auto& [id, seen] : boxes_) {
    if (seen.retired) continue;
    ++boxes;
    const bool just = now - seen.lost <= settings_.brake_window;
    const bool lost = seen.health == BoxHealth::lost && seen.counts && just;
    if (lost) all.push_back(&seen);
    for (const auto& label : seen.labels) {
      ++count[label];
      if (lost) by_label[label].push_back(&seen);
    }
  }
  const double share = settings_.brake_share * static_cast<double>(boxes);
  hold(all, std::max(kBrakeLeast, static_cast<std::size_t>(share)));
  for (const auto& [label, lost] : by_label) {
    if (count[label] >= kLabelLeast) hold(lost, count[label] / 2);
  }
}

BoxHealth Judge::health(const BoxId& box) const {
  const auto found = boxes_.find(box);
  return found == boxes_.end() ? BoxHealth::lost : found->second.health;
}

std::set<BoxId> Judge::lost_or_detached() const {
  std::set<BoxId> gone;
  for (const BoxId& id : away_) {
    if (boxes_.at(id).health != BoxHealth::silent) gone.insert(gone.end(), id);
  }
  return gone;
}

std::map<BoxId, BoxHealth> Judge::away() const {
  std::map<BoxId, BoxHealth> away;
  for (const BoxId& id : away_) away.emplace_hint(away.end(), id, boxes_.at(id).health);
  return away;
}

bool Judge::held(const BoxId& box) const {
  const auto found = boxes_.find(box);
  return found != boxes_.end() && found->second.held;
}

bool Judge::returning(const BoxId& box, TimePoint now) const {
  const auto found = boxes_.find(box);
  if (found == boxes_.end() || found->second.health != BoxHealth::detached) return false;
  return found->second.in_touch && now < found->second.gone + settings_.lease;
}

std::optional<TimePoint> Judge::gone_since(const BoxId& box) const {
  const auto found = boxes_.find(box);
  if (found == boxes_.end() || found->second.health == BoxHealth::alive) return {};
  return found->second.gone;
}

std::optional<TimePoint> Judge::next() const {
  std::optional<TimePoint> next;
  const auto no_later = [&](TimePoint at) { next = next ? std::min(*next, at) : at; };
  for (const BoxId& id : away_) {
    const Seen& seen = boxes_.at(id);
    const bool lost = seen.health == BoxHealth::lost;
    if (!seen.can_probe) {
      if (!lost) no_later(lost_at(seen));
      continue;
    }
    no_later(seen.ask);
    if (!lost && seen.unanswered >= kProbes) no_later(lost_at(seen));
  }
  return next;
}

}  // namespace saccade::fleet
