// What boxes and planners of a fleet tell each other through the store. Decisions only: rates, latencies and
// other telemetry stay on the boxes. How these are written is fleet_store/documents.hpp. Threads: plain
// values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/id.hpp"
#include "fleet/problem.hpp"

namespace saccade::fleet {

// Of a leading planner: the revision at which its leader key was created; ascending from leader to leader.
using Term = std::int64_t;

// serve      the box serves the camera
// take_over  the box gets ready to, and serves next to the one that still does until that one is relieved
enum class Role { serve, take_over };

// Why a camera is on its box: it had none; its box was lost; its box is to be emptied; it may not be where it
// was, or was ordered here; it is worth more here; more of the demand is served with it here.
enum class Cause { unknown, placed, lost_box, drain, order, improvement, unserved };
[[nodiscard]] const char* to_string(Cause cause);

struct AssignedCamera {
  TaskId id;
  std::int64_t epoch =
      0;  // of this camera being on this box; of two boxes that serve it, the higher one counts
  Role role = Role::serve;
  bool exclusive = false;
  std::string task;  // the whole task, as it was configured
  Cause cause = Cause::unknown;
  bool operator==(const AssignedCamera&) const = default;
};

struct StandbyCamera {  // served by another box, and by this one should that be lost
  TaskId id;
  std::string task;  // as of an assigned one
  bool operator==(const StandbyCamera&) const = default;
};

// Served by another box since.
struct MovedCamera {
  TaskId id;
  std::int64_t epoch = 0;  // of its being there
  BoxId box;
  std::string api = {};  // of that box: "http://10.0.0.7:8080"; empty: not known
  bool operator==(const MovedCamera&) const = default;
};
inline constexpr std::size_t kMostMoved = 32;  // that an assignment names

struct AssignDocument {  // all that one box is to serve
  Term term = 0;
  std::int64_t plan = 0;
  std::vector<AssignedCamera> cameras;  // by id
  // Of the box's presence: what it is to hold; and what it may still hold, as far as the leader knows. It
  // serves exclusive cameras by none that is longer. Not known to boxes and planners that are older: the
  // usual.
  Duration lease = kUsualLease;
  Duration longest_lease = kUsualLease;
  std::vector<StandbyCamera> standby = {};  // by id: engines to keep ready, where memory is left
  std::vector<MovedCamera> moved = {};      // the last that it had and another box serves, the newest last
  bool operator==(const AssignDocument&) const = default;
};

enum class CameraStatus { starting, serving, failed };

struct CameraState {
  TaskId id;
  std::int64_t epoch = 0;
  CameraStatus status = CameraStatus::starting;
  std::string reason;  // of failed
  bool operator==(const CameraState&) const = default;
};

struct StateDocument {       // of one box; a camera that is absent is not served
  std::int64_t applied = 0;  // revision of the assignment that it follows
  std::vector<CameraState> cameras;
  std::vector<TaskId> standby = {};  // by id: those with an engine that is ready
  bool operator==(const StateDocument&) const = default;
};

struct Released {  // an exclusive camera that is on no box until `from` has confirmed that it stopped
  TaskId camera;
  BoxId from;
  Cause cause = Cause::unknown;  // of its going elsewhere
  bool operator==(const Released&) const = default;
};

struct PlanDocument {
  Term term = 0;
  std::int64_t number = 0;      // of the last plan
  std::int64_t last_epoch = 0;  // epochs are used once
  std::int64_t store_term = 0;  // of the store's own leader, when this was written
  std::vector<Released> released;
  bool operator==(const PlanDocument&) const = default;
};

template <class T>
struct Held {
  T document;
  std::int64_t revision = 0;  // of its last change; 0 = not in the store
};

}  // namespace saccade::fleet
