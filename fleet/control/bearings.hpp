// What follows from the configuration and the assignments: where every camera is, who is without a box, and,
// with the releases of the plan, what may have to be tidied up. A planner takes hundreds of steps between two
// changes of a document, and a change is of a few documents: so it is kept, and kept up. Threads: plain
// values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "fleet/control/judge.hpp"
#include "fleet/control/view.hpp"
#include "fleet/forecast.hpp"

namespace saccade::fleet {

// What was known when the boxes that stand by were last compared with those that should: they are the same,
// but for the cameras in question.
struct StandbysBy {
  std::shared_ptr<const Forecast> forecast;
  std::uint64_t health_changes = 0;               // of the judge
  std::map<BoxId, BoxHealth> away;                // boxes that were not alive
  std::map<BoxId, std::vector<TaskId>> backs_up;  // the forecast's backups, by box
};

class Bearings {
 public:
  // Takes up what has changed since the last call. Another revision of a document, or another version of the
  // problem, is what a change is known by.
  void follow(const FleetView& view);

  [[nodiscard]] const Whereabouts& where() const { return where_; }
  // Places in the problem; kNone: not configured.
  [[nodiscard]] std::size_t camera(const TaskId& id) const;
  [[nodiscard]] std::size_t box(const BoxId& id) const;
  [[nodiscard]] const Whereabouts::Camera* at(const TaskId& id) const;
  // The boxes whose assignments name the camera, ascending.
  [[nodiscard]] std::vector<BoxId> holders(const TaskId& id) const;

  [[nodiscard]] const std::set<TaskId>& taken_over() const { return taken_over_; }  // about to be, by another
  [[nodiscard]] const std::set<std::size_t>& homeless() const { return homeless_; }  // demanded, on no box
  [[nodiscard]] const std::set<BoxId>& strangers() const { return strangers_; }  // assigned, not configured
  // Assigned boxes that were told of another lease than the policy's.
  [[nodiscard]] const std::set<BoxId>& other_lease() const { return other_lease_; }
  // Has a new value after every change of the problem or of an assignment.
  [[nodiscard]] std::uint64_t version() const { return version_; }
  // Some camera is to be kept ready, or is.
  [[nodiscard]] bool standbys() const { return !kept_ready_.empty() || !standing_by_.empty(); }

  // Cameras on a box of whose places or tasks something has changed, and that nobody has found in order
  // since.
  std::set<TaskId> suspects;
  // Configured cameras, as places, whose boxes have changed since somebody took note of it.
  std::set<std::size_t> moved;
  // The boxes whose assignments say that they stand by for the camera, ascending.
  [[nodiscard]] const std::vector<BoxId>& standing_by(const TaskId& id) const;
  // Puts in question which box stands by: for all cameras that are to be kept ready, or are; for those that
  // this box serves, or stands by for.
  void question_standbys();
  void question_standbys(const BoxId& box);
  std::optional<StandbysBy> standbys_by;
  std::set<TaskId> standbys_in_question;  // also those whose places or boxes that stand by have changed

 private:
  struct Place {  // what one assignment says of a camera
    BoxId box;
    Role role = Role::serve;
    std::int64_t epoch = 0;
    Cause cause = Cause::unknown;
    bool operator==(const Place&) const = default;
  };
  struct Told {  // what one assignment says
    std::int64_t revision = 0;
    std::vector<AssignedCamera> cameras;
    std::vector<StandbyCamera> standby;
  };

  void begin(const FleetView& view);
  void take(const BoxId& box, const Held<AssignDocument>* held, const FleetView& view);
  [[nodiscard]] std::set<TaskId> note_cameras(const BoxId& box, const std::vector<AssignedCamera>& before,
                                              const std::vector<AssignedCamera>& now);
  void settle(const TaskId& id, const FleetView& view);
  void note_standbys(const BoxId& box, const std::vector<StandbyCamera>& before,
                     const std::vector<StandbyCamera>& now);
  [[nodiscard]] bool knows(const std::map<BoxId, Held<AssignDocument>>& assigned) const;

  std::optional<std::uint64_t> problem_version_;
  std::int64_t plan_ = -1;
  std::map<TaskId, std::size_t> cameras_;
  std::map<BoxId, std::size_t> boxes_;
  std::map<BoxId, Told> told_;
  std::map<TaskId, std::vector<Place>> places_;  // by box
  Whereabouts where_;                            // of these
  std::set<TaskId> taken_over_;
  std::set<std::size_t> homeless_;
  std::vector<TaskId> kept_ready_;  // cameras to be, ascending
  std::set<BoxId> strangers_;
  std::map<TaskId, std::vector<BoxId>> standing_by_;
  std::set<BoxId> other_lease_;
  std::uint64_t version_ = 0;
};

}  // namespace saccade::fleet
