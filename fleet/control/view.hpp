// What a planner knows of its fleet: the store's documents as one reading of it had them. Threads: plain
// values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "fleet/control/documents.hpp"

namespace saccade::fleet {

struct FleetView {
  std::int64_t revision = 0;  // of the store, that this reading has reached
  Problem problem;            // boxes and cameras as configured; sorted and valid; `serving` is not used
  std::uint64_t problem_version = 0;    // changes with it, and with the tasks
  std::map<TaskId, std::string> tasks;  // the whole task of every camera
  std::map<TaskId, BoxId> pins;         // by order: these are to be on this box
  std::map<BoxId, std::string> apis;    // where clients reach the API of a box, as far as it says
  std::map<BoxId, Duration> alive;      // boxes that hold a lease, and its length
  std::map<BoxId, Held<AssignDocument>> assigned;
  std::map<BoxId, Held<StateDocument>> states;
  Held<PlanDocument> plan;
  std::int64_t store_term = 0;  // of the store's own leader, last heard
  std::set<BoxId> closed;       // boxes whose assignment would be too large for the store: it is not to grow
};

// Where every camera is, from the assignments alone.
struct Whereabouts {
  struct At {
    BoxId box;
    std::int64_t epoch = 0;
    Cause cause = Cause::unknown;
    bool operator==(const At&) const = default;
  };
  struct Camera {
    std::optional<At> serve;  // the one of the highest epoch
    std::optional<At> take_over;
    bool operator==(const Camera&) const = default;
  };
  std::map<TaskId, Camera> cameras;  // those that are on a box
};
[[nodiscard]] Whereabouts whereabouts(const std::map<BoxId, Held<AssignDocument>>& assigned);

// What the box says of a camera with this epoch; null: nothing.
[[nodiscard]] const CameraState* state_of(const FleetView& view, const BoxId& box, const TaskId& camera,
                                          std::int64_t epoch);

}  // namespace saccade::fleet
