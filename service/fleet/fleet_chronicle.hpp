// What has happened to a fleet while a planner watched: moves of cameras, and what clients that follow it are
// told. It looks at the store's documents from time to time, as leader or not; what came and went between two
// looks it does not know. Threads: one.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fleet_store/planner_link.hpp"

namespace saccade::service {

struct FleetEvent {
  std::string kind;  // move, box, leader, store, brake
  std::string json;  // one line
};

struct FleetMove {
  double at = 0.0;  // seconds since 1970, when it was seen
  TaskId camera;
  std::optional<fleet::BoxId> from;
  std::optional<fleet::BoxId> to;
  std::string reason;       // fleet::Cause, or why it is on no box: removed, released
  const char* result = "";  // begun, done, withdrawn; off: it is on no box
};

class FleetChronicle {
 public:
  // What happened since the last look. `seconds`: since 1970.
  std::vector<FleetEvent> observe(const fleet_store::PlannerLink& link, bool connected, double seconds);
  // Since when a camera is on its box, in seconds since 1970; absent: since before the first look.
  [[nodiscard]] std::optional<double> since(const TaskId& camera) const;
  // {"moves": [...]}: the latest last, at most kMostMoves of them.
  [[nodiscard]] std::string moves() const;

  static constexpr std::size_t kMostMoves = 500;

 private:
  void follow_cameras(const fleet_store::PlannerLink& link, double seconds);
  void compare(const TaskId& id, const fleet::Whereabouts::Camera& before,
               const fleet::Whereabouts::Camera& after, bool configured, double seconds);
  void add(FleetMove move);
  void tell(const char* kind, std::string json) { events_.push_back({kind, std::move(json)}); }

  fleet::Whereabouts known_;
  bool knows_ = false;
  std::int64_t seen_ = -1;  // of the assignments
  std::map<TaskId, double> since_;
  std::deque<FleetMove> moves_;
  std::map<fleet::BoxId, std::string> health_;
  std::optional<bool> leads_;
  std::optional<bool> connected_;
  std::optional<bool> brake_;
  std::vector<FleetEvent> events_;
};

// "alive", "silent", ..., as far as this planner knows.
[[nodiscard]] std::string health_of(const fleet_store::PlannerLink& link, const fleet::BoxId& box);

}  // namespace saccade::service
