#include "service/fleet/fleet_chronicle.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace saccade::service {
namespace {

using ChronicleJson = nlohmann::ordered_json;

std::string one_line(const ChronicleJson& json) {
  return json.dump(-1, ' ', false, ChronicleJson::error_handler_t::replace);
}

ChronicleJson name_or_null(const std::optional<fleet::BoxId>& box) {
  return box ? ChronicleJson(box->str()) : ChronicleJson();
}

std::optional<fleet::BoxId> box_at(const std::optional<fleet::Whereabouts::At>& at) {
  return at ? std::optional(at->box) : std::nullopt;
}

ChronicleJson move_json(const FleetMove& move) {
  return {{"at", move.at},
          {"camera", move.camera.str()},
          {"from", name_or_null(move.from)},
          {"to", name_or_null(move.to)},
          {"reason", move.reason},
          {"result", move.result}};
}

// Changes with every assignment; none is as old as one that it replaces.
std::int64_t newest_assignment(const fleet::FleetView& view) {
  std::int64_t newest = static_cast<std::int64_t>(view.assigned.size());
  for (const auto& [box, held] : view.assigned) newest = std::max(newest, held.revision);
  return newest;
}

}  // namespace

std::string health_of(const fleet_store::PlannerLink& link, const fleet::BoxId& box) {
  if (link.planner() != nullptr) return to_string(link.planner()->judge().health(box));
  return link.view().alive.contains(box) ? "alive" : "silent";
}

std::optional<double> FleetChronicle::since(const TaskId& camera) const {
  const auto found = since_.find(camera);
  return found == since_.end() ? std::nullopt : std::optional(found->second);
}

void FleetChronicle::add(FleetMove move) {
  tell("move", one_line(move_json(move)));
  moves_.push_back(std::move(move));
  if (moves_.size() > kMostMoves) moves_.pop_front();
}

void FleetChronicle::compare(const TaskId& id, const fleet::Whereabouts::Camera& before,
                             const fleet::Whereabouts::Camera& after, bool configured, double seconds) {
  const std::optional<fleet::BoxId> from = box_at(before.serve);
  const std::optional<fleet::BoxId> to = box_at(after.serve);
  const std::optional<fleet::BoxId> taker = box_at(after.take_over);
  const std::optional<fleet::BoxId> former_taker = box_at(before.take_over);
  if (from != to) {
    since_.erase(id);
    if (to) since_[id] = seconds;
    const std::string reason = to ? to_string(after.serve->cause) : configured ? "released" : "removed";
    add({seconds, id, from, to, reason, to ? "done" : "off"});
  }
  if (taker && taker != former_taker)
    add({seconds, id, to, taker, to_string(after.take_over->cause), "begun"});
  if (former_taker && former_taker != taker && former_taker != to)
    add({seconds, id, to, former_taker, to_string(before.take_over->cause), "withdrawn"});
}

void FleetChronicle::follow_cameras(const fleet_store::PlannerLink& link, double seconds) {
  const fleet::FleetView& view = link.view();
  const std::int64_t newest = newest_assignment(view);
  if (newest == seen_) return;
  seen_ = newest;
  fleet::Whereabouts now = fleet::whereabouts(view.assigned);
  if (knows_) {
    const auto configured = [&](const TaskId& id) { return view.tasks.contains(id); };
    static const fleet::Whereabouts::Camera kNowhere{};
    for (const auto& [id, after] : now.cameras) {
      const auto before = known_.cameras.find(id);
      compare(id, before == known_.cameras.end() ? kNowhere : before->second, after, configured(id), seconds);
    }
    for (const auto& [id, before] : known_.cameras) {
      if (!now.cameras.contains(id)) compare(id, before, kNowhere, configured(id), seconds);
    }
  }
  known_ = std::move(now);
  knows_ = true;
}

std::vector<FleetEvent> FleetChronicle::observe(const fleet_store::PlannerLink& link, bool connected,
                                                double seconds) {
  if (link.session().mirrored()) follow_cameras(link, seconds);
  bool brake = false;
  std::map<fleet::BoxId, std::string> health;
  for (const fleet::Box& box : link.view().problem.boxes) {
    health[box.id] = health_of(link, box.id);
    brake = brake || (link.planner() != nullptr && link.planner()->judge().held(box.id));
    const auto known = health_.find(box.id);
    if (known == health_.end() || known->second == health[box.id]) continue;
    tell("box",
         one_line({{"at", seconds}, {"box", box.id.str()}, {"from", known->second}, {"to", health[box.id]}}));
  }
  health_ = std::move(health);
  const auto turn = [&](std::optional<bool>& known, bool now, const char* kind, const char* member) {
    if (known && *known != now) tell(kind, one_line({{"at", seconds}, {member, now}}));
    known = now;
  };
  turn(leads_, link.leading(), "leader", "leads");
  turn(connected_, connected, "store", "connected");
  turn(brake_, brake, "brake", "held");
  return std::exchange(events_, {});
}

std::string FleetChronicle::moves() const {
  ChronicleJson list = ChronicleJson::array();
  for (const FleetMove& move : moves_) {
    list.push_back(move_json(move));
  }
  return ChronicleJson{{"moves", std::move(list)}}.dump(1, ' ', false,
                                                        ChronicleJson::error_handler_t::replace) +
         "\n";
}

}  // namespace saccade::service
