// The problem of a fleet as it is now: what is configured, with where every camera is, which boxes can take
// one, and what was ordered. Threads: function without state.
#pragma once

#include <functional>
#include <optional>

#include "fleet/control/judge.hpp"
#include "fleet/control/view.hpp"

namespace saccade::fleet {

// Boxes that are not alive keep what they have and take nothing. The rules of cameras that are to be together
// are rules for each of them. A camera that is pinned may be on that box alone, with all that are to be
// together with it, as long as the box is not lost or to be emptied and they may be there at all; else the
// pin is ignored.
[[nodiscard]] Problem situation(Problem configured, const std::map<TaskId, BoxId>& pins,
                                const Whereabouts& where,
                                const std::function<BoxHealth(const BoxId&)>& health);

// What a box that is configured so is for the assignment, by whether it lives.
[[nodiscard]] BoxState present_state(BoxState configured, BoxHealth health);

// The box that counts as the one that serves the camera: one that is to take it over, rather than the one
// that has it. Null: it is on none.
[[nodiscard]] std::optional<BoxId> box_of(const Whereabouts::Camera* at);

}  // namespace saccade::fleet
