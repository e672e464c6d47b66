// Which boxes are lost. A lease that has ended says only that box and store do not reach each other; so a box
// is lost by two signals: its lease has ended, and it did not answer its own API twice, a second apart. One
// that answers is detached: it serves on, and what it serves does not move.
//   alive -> silent     its lease ended
//   silent -> detached  it answers
//   silent, detached -> lost   it does not; not before the store has been steady for `settle`
//   any -> alive        it has a lease again
// A box that cannot be asked by design is lost three times the lease's length after it ended. None is before
// its lease has been gone for its autonomy.
// A box that answers also says how long ago the store answered it. Less than half a lease: its lease did not
// end because the box is cut off, but was revoked early, or given up, and it will have another at once. Such
// a box is returning, for at most a lease's length. The brake: once more boxes are lost within a minute than
// max(3, share) of all, or more than half of those with one label value, of which there are four or more,
// those are held: they are lost, but nothing is moved for it until release(), or until the box returns. A box
// without cameras is not counted among the lost, as nothing would be moved for it: it may have been gone for
// weeks, and a planner that has begun to lead learns of all that are gone at once. Nor is one that was
// released, until it returns; a retired one is not counted at all.
// Threads: pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "fleet/problem.hpp"

namespace saccade::fleet {

enum class BoxHealth { alive, silent, detached, lost };
[[nodiscard]] const char* to_string(BoxHealth health);

struct JudgeSettings {
  Duration lease = kUsualLease;  // of the boxes
  Duration settle = to_duration(FleetPolicy{}.settle);
  Duration between_probes = std::chrono::seconds(1);
  Duration probe_detached = std::chrono::seconds(5);
  double brake_share = FleetPolicy{}.brake_share;
  Duration brake_window = std::chrono::seconds(60);
};

class Judge {
 public:
  explicit Judge(const JudgeSettings& settings) : settings_(settings) {}

  // What the operator's policy says of it, from now on.
  void follow(const FleetPolicy& policy);
  // The boxes of the fleet; others are forgotten. `can_probe`: their API can be reached.
  void boxes(const std::vector<Box>& boxes, TimePoint now);
  void set_can_probe(const BoxId& box, bool can);
  // As the store has it.
  void lease(const BoxId& box, bool held, TimePoint now);
  void leases(const std::map<BoxId, Duration>& held, TimePoint now);  // those that are not in it have none
  // `reached`: how long ago the store answered the box, as it says.
  void probed(const BoxId& box, bool answered, TimePoint now, std::optional<Duration> reached = {});
  void unsettle(TimePoint now);  // the store was away, or has elected a leader
  void release();                // by order: what the brake holds is lost
  // `has_cameras`: whether any is assigned to a box; empty: to all.
  using HasCameras = std::function<bool(const BoxId&)>;
  void step(TimePoint now, const HasCameras& has_cameras = {});

  [[nodiscard]] std::vector<BoxId> take_probes() { return std::exchange(probes_, {}); }
  [[nodiscard]] BoxHealth health(const BoxId& box) const;
  [[nodiscard]] std::set<BoxId> lost_or_detached() const;
  [[nodiscard]] std::map<BoxId, BoxHealth> away() const;  // those that are not alive
  [[nodiscard]] bool held(const BoxId& box) const;        // lost, and nothing is moved for it
  [[nodiscard]] bool returning(const BoxId& box, TimePoint now) const;
  [[nodiscard]] std::optional<TimePoint> gone_since(const BoxId& box) const;
  [[nodiscard]] std::uint64_t changes() const { return changes_; }  // of any health
  [[nodiscard]] std::optional<TimePoint> next() const;

 private:
  struct Seen {
    std::map<std::string, std::string> labels;
    Duration autonomy{};
    BoxHealth health = BoxHealth::silent;
    bool can_probe = true;
    bool held = false;
    bool retired = false;
    bool counts = false;    // for the brake: it had cameras when it was lost, and was not released since
    bool released = false;  // since it was alive
    bool in_touch = false;  // with the store, as it says, when detached
    TimePoint gone{};       // when not alive
    TimePoint ask{};        // when it is asked next
    int unanswered = 0;     // in a row
    TimePoint lost{};       // when lost
  };
  void lease(const BoxId& box, Seen& seen, bool held, TimePoint now);
  void lose(const BoxId& box, Seen& seen, TimePoint now, const HasCameras& has_cameras);
  [[nodiscard]] TimePoint lost_at(const Seen& seen) const;  // at the earliest
  void brake(TimePoint now);
  void hold(const std::vector<Seen*>& lost, std::size_t limit);

  JudgeSettings settings_;
  std::map<BoxId, Seen> boxes_;
  std::set<BoxId> away_;  // those that are not alive: as a rule few
  std::vector<BoxId> probes_;
  TimePoint settled_{};
  std::uint64_t changes_ = 0;
};

}  // namespace saccade::fleet
