// Changes of assignments that are to be written at once: copies of the documents, edited, and what became of
// them. Threads: plain value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fleet/control/view.hpp"

namespace saccade::fleet {

struct Write {
  // Those that change. What does not fit one write is left out from the end: a box that says where its
  // cameras went comes after the boxes that get them.
  std::vector<std::pair<BoxId, AssignDocument>> assigned;
  PlanDocument plan;
};

// What a box's next assignment says of its lease: what the policy says, and the longest that the box may hold
// until it is seen to follow: its key is on a lease no longer than that, and it has confirmed an assignment
// that says no other.
struct LeaseOrder {
  Duration lease{};
  Duration longest{};
  bool operator==(const LeaseOrder&) const = default;
};
[[nodiscard]] LeaseOrder lease_order(const FleetView& view, const BoxId& box);

class Draft {
 public:
  explicit Draft(const FleetView& view) : view_(view), plan_(view.plan.document) {}

  void add(const BoxId& box, const Camera& camera, Role role, Cause cause);  // with a new epoch
  void remove(const BoxId& box, const TaskId& camera);
  // The same of a camera that another box has: clients that ask the old one are to learn that.
  void hand_on(const BoxId& from, const TaskId& camera, const BoxId& to);
  void set_role(const BoxId& box, const TaskId& camera, Role role);
  void set_task(const BoxId& box, const TaskId& camera, const std::string& task);
  void write_again(const BoxId& box) { (void)edit(box); }
  [[nodiscard]] PlanDocument& plan() { return plan_; }

  [[nodiscard]] bool empty() const;
  [[nodiscard]] std::size_t documents() const { return edited_.size(); }  // of assignments
  [[nodiscard]] bool edits(const BoxId& box) const { return edited_.contains(box); }
  // Of this leader. At most `most` assignments; the others are for another time.
  [[nodiscard]] Write write(Term term, std::size_t most) const;
  // The cameras of a box, as edited.
  [[nodiscard]] const std::vector<AssignedCamera>& cameras(const BoxId& box) const;
  [[nodiscard]] const std::vector<StandbyCamera>& standby(const BoxId& box) const;
  void set_standby(const BoxId& box, std::vector<StandbyCamera> standby) {
    edited(box).standby = std::move(standby);
  }

 private:
  struct Edited {
    std::vector<AssignedCamera> cameras;
    std::vector<StandbyCamera> standby;
    std::vector<MovedCamera> moved;
    std::set<BoxId> handed_to = {};  // boxes that `moved` names as of this draft
  };
  Edited& edited(const BoxId& box);
  std::vector<AssignedCamera>& edit(const BoxId& box) { return edited(box).cameras; }
  [[nodiscard]] const AssignDocument* document(const BoxId& box) const;
  [[nodiscard]] std::vector<BoxId> in_order() const;  // of writing

  const FleetView& view_;
  std::map<BoxId, Edited> edited_;
  PlanDocument plan_;
};

}  // namespace saccade::fleet
