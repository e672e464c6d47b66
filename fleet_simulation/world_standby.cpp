// Engines that simulated boxes keep ready for cameras of others.
#include <algorithm>

#include "fleet_simulation/world.hpp"

namespace saccade::fleet_simulation {

void World::note_standby_start(std::size_t index, const fleet::AssignedCamera& camera) {
  const fleet::Camera& configured = problem_.cameras[camera_index_.at(camera.id)];
  if (!configured.where.standby || camera.cause != fleet::Cause::lost_box) return;
  if (!standby_starts_.insert(camera.epoch).second) return;  // again, after a reboot
  ++result_.standby_starts;
  const auto standby = boxes_[index].standby.find(camera.id);
  if (standby != boxes_[index].standby.end() && standby->second) ++result_.standby_ready;
}

void World::stand_by(std::size_t index, const std::vector<fleet::StandbyCamera>& cameras) {
  SimulatedBox& box = boxes_[index];
  std::map<TaskId, bool> before = std::exchange(box.standby, {});
  for (const fleet::StandbyCamera& camera : cameras) {
    const fleet::Camera& configured = problem_.cameras[camera_index_.at(camera.id)];
    if (configured.exclusive || !configured.where.standby) {
      witness_.breach(now_, "standby", "a box stands by for " + camera.id.str());
    }
    const auto known = before.find(camera.id);
    box.standby[camera.id] = known != before.end() && known->second;
    if (known == before.end()) load_standby(index, camera.id);
  }
  hash_.mix(static_cast<std::uint64_t>(now_.time_since_epoch().count()), index, cameras.size(), 9U);
  report_standby(index);
}

void World::load_standby(std::size_t index, const TaskId& camera) {
  const std::int64_t session = boxes_[index].session;
  after(dice_.between(std::chrono::milliseconds(300), std::chrono::seconds(3)),
        [this, index, camera, session] {
          SimulatedBox& box = boxes_[index];
          const auto standby = box.standby.find(camera);
          if (!box.link || box.session != session || standby == box.standby.end() || standby->second) return;
          if (box.hangs) return load_standby(index, camera);
          standby->second = true;
          report_standby(index);
        });
}

// As soon as the box's agent can be told.
void World::report_standby(std::size_t index) {
  const std::int64_t session = boxes_[index].session;
  after(Duration{}, [this, index, session] {
    SimulatedBox& box = boxes_[index];
    if (!box.link || box.session != session) return;
    if (box.hangs) return;
    std::vector<TaskId> ready;
    for (const auto& [id, is] : box.standby) {
      if (is) ready.push_back(id);
    }
    box.link->ready(std::move(ready), box.clock.at(now_));
    flush_box(index);
  });
}

}  // namespace saccade::fleet_simulation
