// The agent of a box: from what the store assigns to it and what its cameras report, to which cameras are
// started and stopped. It serves its last assignment without limit, also after a reboot without the store.
// Only exclusive cameras need the store: they are served while `leased` allows, as another box may be given
// them once the lease of this one has ended.
//   An assignment of a lower term than one seen, or older than the one applied, is refused.
//   A camera that it stands by for it does not serve: an engine is kept ready, where the box has room.
//   A camera that stays assigned with its epoch is not restarted; a missing document stops nothing.
//   The state that the planner sees is published on change, at most once in kPublishInterval.
//   Where a camera that it had is served since, it says for kTellMoved.
// Order: boot() once; then any events; after each, take(). Threads: pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "fleet/control/documents.hpp"

namespace saccade::fleet {

inline constexpr Duration kPublishInterval = std::chrono::seconds(1);
inline constexpr Duration kRetryFailed = std::chrono::seconds(30);
inline constexpr Duration kTellMoved = std::chrono::seconds(60);

namespace agent {
struct Start {
  AssignedCamera camera;
};
struct Stop {
  TaskId id;
  std::int64_t epoch = 0;
};
struct Save {  // so that it is what boot() gets
  Held<AssignDocument> assignment;
};
struct StandBy {  // engines are to be kept ready for these, and for no others
  std::vector<StandbyCamera> cameras;
};
struct Publish {
  StateDocument state;
};
using Action = std::variant<Start, Stop, StandBy, Save, Publish>;
}  // namespace agent

class Agent {
 public:
  void boot(std::optional<Held<AssignDocument>> saved, TimePoint now);
  // False: refused.
  bool assigned(const Held<AssignDocument>& assignment, TimePoint now);
  // A lease that the box holds, and under which it has read its assignment, lasts at least until then. Not
  // later than what longest_lease() allows.
  void leased(TimePoint until, TimePoint now);
  // What became of a camera that was started with this epoch.
  void report(const TaskId& id, std::int64_t epoch, CameraStatus status, const std::string& reason,
              TimePoint now);
  // For which of the cameras that it stands by for an engine is ready.
  void ready(std::vector<TaskId> standby, TimePoint now);
  void step(TimePoint now);

  [[nodiscard]] std::vector<agent::Action> take() { return std::exchange(actions_, {}); }
  [[nodiscard]] std::optional<TimePoint> next() const;  // when step() has something to do
  [[nodiscard]] std::int64_t refused() const { return refused_; }
  [[nodiscard]] std::int64_t applied() const { return applied_; }
  // As the assignment says.
  [[nodiscard]] Duration lease() const { return lease_; }
  [[nodiscard]] Duration longest_lease() const { return longest_lease_; }
  // Cameras that it had until lately, and the boxes that serve them.
  [[nodiscard]] std::vector<MovedCamera> moved(TimePoint now) const;

 private:
  struct Camera {
    AssignedCamera of;
    bool running = false;  // started and not stopped
    CameraStatus status = CameraStatus::starting;
    std::string reason;
    TimePoint failed_at{};
  };
  void adopt(const AssignDocument& document, TimePoint now);
  void follow_moved(const std::vector<MovedCamera>& moved, TimePoint now);
  void start(Camera& camera);
  void stop(Camera& camera);
  void publish(TimePoint now);
  [[nodiscard]] StateDocument state() const;

  struct Moved {
    MovedCamera to;
    TimePoint until{};
  };

  std::map<TaskId, Camera> cameras_;
  std::map<TaskId, Moved> moved_;
  std::vector<StandbyCamera> standby_;
  bool standby_changed_ = false;
  std::vector<TaskId> ready_;  // as reported, ascending
  std::vector<agent::Action> actions_;
  Term term_ = 0;
  std::int64_t applied_ = 0;
  Duration lease_ = kUsualLease;
  Duration longest_lease_ = kUsualLease;
  std::optional<TimePoint> leased_until_;
  bool changed_ = true;  // since the state was last compared with what is published
  std::optional<StateDocument> published_;
  std::optional<TimePoint> published_at_;
  std::int64_t refused_ = 0;
};

}  // namespace saccade::fleet
