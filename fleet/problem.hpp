// The complete input of an assignment of cameras to boxes at one instant: the boxes with their processors,
// limits, labels and profile sets; the cameras with their tasks and with where they may be served; what
// serves them now; and the operator's policy. As a Snapshot is to a plan, a Problem is to an assignment:
// there is no other input, no clock and no memory. The fleet decides which box serves a camera; the box's own
// planner decides the variant. Order: make a problem, sort() it, validate() it; everything else in this room
// expects both. Threads: plain values.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/id.hpp"
#include "base/result.hpp"
#include "scheduler/snapshot.hpp"

namespace saccade::fleet {

using BoxId = Id<struct BoxIdTag>;

// active    serves and takes cameras
// cordoned  serves what it has and takes nothing
// draining  is to serve nothing: its cameras are placed elsewhere where they fit
// retired   serves nothing
enum class BoxState { active, cordoned, draining, retired };
[[nodiscard]] const char* to_string(BoxState state);

// What of a planner's documents the program of a box understands; unknown members it ignores, but of a task.
inline constexpr const char* kMaxLatencyFeature = "max_latency_seconds";  // of a camera
inline constexpr const char* kStandbyFeature = "standby";                 // of an assignment
// All that this version understands. A box that does not say is taken to understand what there was when
// boxes began to: the same so far.
[[nodiscard]] std::set<std::string> known_features();

struct Box {
  BoxId id;
  std::map<std::string, std::string> labels;
  BoxState state = BoxState::active;
  std::vector<scheduler::Processor> processors;
  scheduler::Limits limits;
  Watts idle_power{0.0};
  double reserve = 0.0;                    // share of every capacity that the fleet leaves free, in [0, 1)
  std::optional<std::size_t> max_cameras;  // >= 1
  std::set<std::string> features = known_features();
  Seconds autonomy{0.0};  // it is not lost before it has been gone so long: moving is worse than waiting
  std::map<std::string, profiles::ProfileSetPtr> profiles;  // by network; equal sets are one object
};

struct Spread {  // at most `most` cameras of the group per box, or per value of a label
  std::string group;
  std::string label;     // empty: per box
  std::size_t most = 1;  // >= 1
  bool operator==(const Spread&) const = default;
};

struct Where {
  std::vector<BoxId> boxes;                                // one of these; empty: any
  std::map<std::string, std::vector<std::string>> labels;  // of every label named, one of the values
  std::vector<BoxId> avoid;                                // none of these
  std::optional<Spread> spread;
  std::string together;  // cameras with the same word are served by one box; empty: none
  bool standby = false;  // its backup box keeps the engine loaded
};

struct Camera {
  scheduler::Task task;  // id, demand, weight, priority, regions, floors; `profiles` is the box's
  std::string network;
  bool exclusive = false;  // never served by two boxes, not even while it moves
  Where where;
  std::optional<BoxId> serving;  // the box that serves it now
};

// report: the N-1 verdict is part of the result. require: a plan that a loss of one box would cost demand is
// reported as a failure.
enum class Survive { report, require };
[[nodiscard]] const char* to_string(Survive survive);

// A box holds a lease in the fleet's store; once it has not renewed it for the lease's length, it is silent
// (control/judge.hpp). Of boxes that no planner has given another: kUsualLease.
inline constexpr Duration kUsualLease = std::chrono::seconds(10);
inline constexpr int kLeastLeaseSeconds = 3;
inline constexpr int kMostLeaseSeconds = 600;

struct FleetPolicy {
  scheduler::Objective objective = scheduler::Objective::max_accuracy;
  double moving_cost = 0.05;  // per moved camera, as a share of its weight, in units of relative accuracy;
                              // counted only with max_accuracy
  std::optional<std::size_t> most_moves;  // of cameras whose box could go on serving them; absent: any
  Survive survive = Survive::report;
  // How the planner carries plans out; an assignment by itself does not depend on these.
  double moves_per_hour = 0.01;  // cameras moved for improvement, as a share of all; at least 1, but for 0
  Seconds handover{15.0};        // a box that takes a camera over serves it by then, or is relieved again
  Seconds lease = to_seconds(kUsualLease);  // of every box, in whole seconds
  Seconds settle{20.0};                     // no box is lost so soon after the store was away or has elected
  double brake_share = 0.2;  // more boxes than this lost at once move nothing (control/judge.hpp)
  std::optional<int> brake_exempt_priority;  // cameras of this class and higher move all the same
};

// Moves for improvement in an hour.
[[nodiscard]] double hourly_moves(const FleetPolicy& policy, std::size_t cameras);

struct Problem {
  std::vector<Box> boxes;
  std::vector<Camera> cameras;
  FleetPolicy policy;
};

inline constexpr std::size_t kMostBoxes = 5'000;
inline constexpr std::size_t kMostCameras = 100'000;
inline constexpr std::size_t kMostCamerasPerBox = 1'000;

// By id, so that the same fleet gives the same assignment whatever the order in which it was read.
void sort(Problem& problem);

struct Findings {
  Errors errors;    // the problem cannot be planned
  Errors warnings;  // it can, but is probably not what was meant
};
// All mistakes at once. `where` is a pointer: /boxes/<id>/<key>, /cameras/<id>/<key>. That a network is on no
// allowed box is no mistake: the camera is off with that reason.
[[nodiscard]] Findings validate(const Problem& problem);

// True if the labels, pins and avoided boxes of `where` allow the box, whatever its state.
[[nodiscard]] bool allows(const Where& where, const Box& box);
[[nodiscard]] bool labels_allow(const Where& where, const std::map<std::string, std::string>& labels);

// True if the box's program understands all that the camera's document says.
[[nodiscard]] bool understands(const Box& box, const Camera& camera);

// The snapshot that a box with these cameras plans from: its own processors and limits, no reserve. Cameras
// whose network the box does not have are left out.
[[nodiscard]] scheduler::Snapshot snapshot_of(const Problem& problem, const Box& box,
                                              const std::vector<std::size_t>& cameras);

}  // namespace saccade::fleet
