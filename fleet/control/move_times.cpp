#include "fleet/control/move_times.hpp"

namespace saccade::fleet {

void MoveTimes::begin_move(const TaskId& camera, const BoxId& from, TimePoint now) {
  Begun& begun = begun_.try_emplace(camera, Begun{false, from, now}).first->second;
  begun.from = from;
}

void MoveTimes::begin_failover(const TaskId& camera, const BoxId& from, TimePoint gone) {
  Begun& begun = begun_[camera];
  if (!begun.failover) begun.since = gone;
  begun.failover = true;
  begun.from = from;
}

void MoveTimes::follow(const FleetView& view, const Whereabouts& where,
                       const std::function<bool(const TaskId&)>& demanded, TimePoint now) {
  std::erase_if(begun_, [&](const auto& each) {
    const auto& [id, begun] = each;
    if (!demanded(id)) return true;
    const auto at = where.cameras.find(id);
    if (at == where.cameras.end() || !at->second.serve) return false;
    const Whereabouts::At& here = *at->second.serve;
    if (here.box == begun.from) return !at->second.take_over;  // it stays there
    const CameraState* state = state_of(view, here.box, id, here.epoch);
    if (state == nullptr || state->status != CameraStatus::serving) return false;
    (begun.failover ? times_.failovers : times_.moves).push_back(now - begun.since);
    return true;
  });
}

}  // namespace saccade::fleet
