// A box of a fleet: its agent on the store (fleet_store/box_link.hpp), what it serves for the fleet beside
// its own tasks, and the papers it keeps in the store. What it is to do it does by its hands; time and what
// the box's tasks have done are arguments, so that the same runs on a simulated store.
//   A camera that it stands by for is a task that is not demanded, without its source. One that the service
//   does not take is left out.
//   A camera serves once a frame of it was processed after it was started; one whose frames clients send,
//   once an engine is there for it. One that the box cannot take has failed, and the others are not
//   disturbed.
// Order: boot(); then on(), observe(), replace_papers() and step() in any; after each, take_requests().
// Threads: one; the hands are called on it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fleet/control/documents.hpp"
#include "fleet_store/box_link.hpp"
#include "service/fleet/camera_task.hpp"
#include "service/fleet/papers.hpp"

namespace saccade::service {

struct BoxHands {
  struct Answer {
    bool done = false;
    bool later = false;  // nothing is wrong with it: the service is beginning or ending
    std::string why;     // else
  };
  // From now on these tasks are served beside those of the configuration. If it refuses, nothing changes.
  std::function<Answer(std::vector<text::JsonValue> tasks)> serve;
  // So that it is what boot() gets after a restart.
  std::function<void(const std::string& text)> save;
};

struct ObservedTask {
  std::string id;
  std::int64_t processed = 0;  // frames, since the start of the run
  bool has_engine = false;
  bool pushed = false;
  bool spare = false;  // an engine is kept ready for it, and it is not demanded
};

struct FleetStanding {     // of a box
  bool connected = false;  // it holds its lease, and follows the assignment of the store
  bool outdated = false;   // it does not: that is older than the one that it follows, or cannot be read
  std::optional<TimePoint> current_at;  // when its assignment was last known to be the store's
  std::optional<TimePoint> reached;     // when the store last answered it
  std::size_t cameras = 0;
  std::size_t standby = 0;                     // cameras for which it stands by
  std::int64_t refused = 0;                    // documents
  bool conflict = false;                       // another process is this box
  bool papers_written = false;                 // the store has them all
  std::vector<fleet::MovedCamera> moved = {};  // cameras that it had until lately, and who serves them
};

class BoxDesk {
 public:
  BoxDesk(const fleet_store::BoxLinkSettings& settings, BoxNetworks networks,
          std::map<std::string, std::string> papers, BoxHands hands);

  // False: what was saved cannot be read.
  bool boot(const std::optional<std::string>& saved, TimePoint now);
  void on(const fleet_store::Event& event, TimePoint now);
  void observe(const std::vector<ObservedTask>& tasks, TimePoint now);
  void replace_papers(const std::map<std::string, std::string>& papers, TimePoint now);
  void step(TimePoint now);
  [[nodiscard]] std::optional<TimePoint> next() const;
  [[nodiscard]] std::vector<fleet_store::Numbered> take_requests();
  [[nodiscard]] FleetStanding standing() const { return standing_; }

 private:
  struct Camera {
    fleet::AssignedCamera of;
    std::int64_t processed = 0;  // before it was started
    bool serves = false;
  };
  void settle(TimePoint now);
  void carry_out(TimePoint now);
  void stand_by(const std::vector<fleet::StandbyCamera>& cameras);
  struct Lineup {  // tasks by id, none in both
    std::map<TaskId, text::JsonValue> cameras;
    std::map<TaskId, text::JsonValue> standby;
  };
  BoxHands::Answer apply(const Lineup& lineup);
  void serve(TimePoint now);
  BoxHands::Answer apply_without_one(Lineup& lineup);
  std::optional<Lineup> keep_served(const Lineup& wanted);
  bool serve_one_by_one(const Lineup& wanted, TimePoint now);
  void fail(const TaskId& id, const std::string& why, TimePoint now);
  void look_for_conflict(TimePoint now);

  fleet_store::BoxLink link_;
  std::string alive_key_;
  BoxNetworks networks_;
  Papers papers_;
  BoxHands hands_;
  std::map<TaskId, Camera> cameras_;               // to be served
  std::map<TaskId, text::JsonValue> tasks_;        // of those
  std::map<TaskId, text::JsonValue> standby_;      // to be kept ready
  Lineup served_;                                  // what the service has
  std::map<std::string, std::int64_t> processed_;  // last observed
  bool dirty_ = false;
  std::optional<TimePoint> again_;
  std::optional<TimePoint> refused_since_;  // its key, while it never held it
  bool has_held_ = false;
  FleetStanding standing_;
};

}  // namespace saccade::service
