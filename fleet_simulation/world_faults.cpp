// Faults of the simulated fleet: in a storm one begins every few seconds, and all end with it.
#include <algorithm>

#include "fleet_simulation/world.hpp"

namespace saccade::fleet_simulation {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kLeases[] = {3, 5, 20, 60};

}  // namespace

void World::note(Fault fault, std::uint64_t word) {
  ++result_.faults[static_cast<std::size_t>(fault)];
  hash_.mix(static_cast<std::uint64_t>(now_.time_since_epoch().count()),
            static_cast<std::uint64_t>(fault) + 100, word);
}

// How long a fault lasts: at most so long, and no longer than the storm.
Duration World::until_storm_ends(Duration most) {
  const Duration left = storm_ends_ - now_ - seconds(2);
  return std::min(dice_.between(seconds(1), most), std::max<Duration>(left, milliseconds(10)));
}

void World::storm() {
  if (now_ + seconds(5) >= storm_ends_) return;
  strike(drawn_[dice_.below(drawn_.size())]);
  after(dice_.between(seconds(2), seconds(25)), [this] { storm(); });
}

void World::strike(Fault fault) {
  switch (fault) {
    case Fault::box_dies:
    case Fault::box_hangs:
    case Fault::box_cut:
    case Fault::box_isolated:
    case Fault::box_unreachable:
    case Fault::engine_fails:
      strike_box(fault);
      break;
    case Fault::planner_dies:
    case Fault::planner_cut:
    case Fault::write_cut:
      strike_planner(fault);
      break;
    case Fault::no_majority:
    case Fault::store_elects:
    case Fault::lease_revoked:
    case Fault::compaction:
    case Fault::watch_repeats:
    case Fault::outcome_lost:
    case Fault::line_slow:
      strike_store(fault);
      break;
    case Fault::operator_drains:
    case Fault::camera_changes:
    case Fault::lease_changes:
      strike_operator(fault);
      break;
  }
}

void World::strike_box(Fault fault) {
  const auto index = static_cast<std::size_t>(dice_.below(boxes_.size()));
  SimulatedBox& box = boxes_[index];
  const Duration lasts = until_storm_ends(seconds(120));
  note(fault, index);
  if (fault == Fault::box_dies) {
    stop_box(index);
    after(lasts, [this, index] { start_box(index); });
  } else if (fault == Fault::box_hangs) {
    halt_box(index, true);
    after(lasts, [this, index] { halt_box(index, false); });
  } else if (fault == Fault::engine_fails) {
    box.engines_fail = true;
    after(lasts, [this, index] { boxes_[index].engines_fail = false; });
  } else {
    const bool store = fault != Fault::box_unreachable;
    if (store) box.client->cut(true);
    if (store && !box.cut_since) box.cut_since = now_;
    if (fault != Fault::box_cut) box.reachable = false;
    after(lasts, [this, index] {
      boxes_[index].client->cut(false);
      boxes_[index].cut_since.reset();
      boxes_[index].reachable = true;
    });
  }
}

void World::strike_planner(Fault fault) {
  const auto index = static_cast<std::size_t>(dice_.below(planners_.size()));
  const Duration lasts = until_storm_ends(seconds(60));
  note(fault, index);
  if (fault == Fault::write_cut) {
    stop_planner(index);
    planners_[index].room = 1 + static_cast<std::size_t>(dice_.below(3));
    start_planner(index);
    return;
  }
  if (fault == Fault::planner_dies) {
    stop_planner(index);
    after(lasts, [this, index] { start_planner(index); });
    return;
  }
  planners_[index].client->cut(true);
  after(lasts, [this, index] { planners_[index].client->cut(false); });
}

void World::strike_store(Fault fault) {
  const auto process = static_cast<std::size_t>(dice_.below(boxes_.size() + planners_.size()));
  fleet_store::SimulatedStore::Client& client =
      process < boxes_.size() ? *boxes_[process].client : *planners_[process - boxes_.size()].client;
  note(fault, process);
  if (fault == Fault::no_majority || fault == Fault::store_elects) {
    const Duration lasts = fault == Fault::store_elects ? milliseconds(2100) : until_storm_ends(seconds(60));
    const bool renew = dice_.one_in(2);
    store_.lose_majority();
    after(lasts, [this, renew] { store_.restore_majority(renew); });
  } else if (fault == Fault::lease_revoked) {
    const std::vector<std::int64_t> leases = store_.history().leases();
    if (!leases.empty()) store_.revoke(leases[dice_.below(leases.size())]);
  } else if (fault == Fault::compaction) {
    store_.compact();
  } else if (fault == Fault::watch_repeats) {
    client.repeat_next_watched();
  } else if (fault == Fault::outcome_lost) {
    client.lose_next_outcome(dice_.one_in(2));
  } else {
    client.slow(dice_.between(milliseconds(50), seconds(2)));
    after(until_storm_ends(seconds(60)), [&client] { client.slow({}); });
  }
}

void World::strike_operator(Fault fault) {
  const Duration lasts = until_storm_ends(seconds(90));
  if (fault == Fault::operator_drains) {
    const auto index = static_cast<std::size_t>(dice_.below(boxes_.size()));
    note(fault, index);
    const std::string key = keys_.box(problem_.boxes[index].id.str());
    set_key(key, "draining");
    after(lasts, [this, key] { set_key(key, "active"); });
    return;
  }
  if (fault == Fault::lease_changes) {
    const int seconds = kLeases[dice_.below(std::size(kLeases))];
    note(fault, static_cast<std::uint64_t>(seconds));
    set_key(keys_.policy(), std::to_string(seconds));
    after(lasts, [this] { set_key(keys_.policy(), std::nullopt); });
    return;
  }
  const auto index = static_cast<std::size_t>(dice_.below(problem_.cameras.size()));
  note(fault, index);
  const TaskId id = problem_.cameras[index].task.id;
  const std::string key = keys_.camera(id.str());
  set_key(key, std::nullopt);
  witness_.configured(id, false, now_);
  after(lasts, [this, id, key] {
    set_key(key, "task of " + id.str());
    witness_.configured(id, true, now_);
  });
}

// The storm is over: what has not ended by itself does, what an operator would set right is.
void World::heal() {
  store_.restore_majority(dice_.one_in(2));
  for (std::size_t i = 0; i < boxes_.size(); ++i) {
    SimulatedBox& box = boxes_[i];
    box.client->cut(false);
    box.client->slow({});
    box.cut_since.reset();
    box.reachable = true;
    box.engines_fail = false;
    halt_box(i, false);
    start_box(i);
  }
  for (std::size_t i = 0; i < planners_.size(); ++i) {
    planners_[i].client->cut(false);
    planners_[i].client->slow({});
    if (std::exchange(planners_[i].room, std::nullopt)) stop_planner(i);
    start_planner(i);
  }
  set_key(keys_.policy(), std::nullopt);
  for (const std::string& key : std::exchange(set_keys_, {})) {
    const fleet_store::Keys::Parts parts = keys_.parts(key);
    if (parts.kind == "box")
      set_key(key, to_string(problem_.boxes[box_index_.at(fleet::BoxId(parts.id))].state));
    if (parts.kind == "camera") set_key(key, "task of " + parts.id);
  }
  set_keys_.clear();
  for (const fleet::Camera& camera : problem_.cameras) witness_.configured(camera.task.id, true, now_);
  calm_since_ = now_;
}

}  // namespace saccade::fleet_simulation
