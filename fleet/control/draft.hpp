// Changes of assignments that are to be written at once: copies of the documents, edited, and what became of
// them. Threads: plain value.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "fleet/control/view.hpp"

namespace saccade::fleet {

struct Write {
  std::map<BoxId, AssignDocument> assigned;  // those that change
  PlanDocument plan;
};

class Draft {
 public:
  explicit Draft(const FleetView& view) : view_(view), plan_(view.plan.document) {}

  void add(const BoxId& box, const Camera& camera, Role role, Cause cause);  // with a new epoch
  void remove(const BoxId& box, const TaskId& camera);
  void set_role(const BoxId& box, const TaskId& camera, Role role);
  void set_task(const BoxId& box, const TaskId& camera, const std::string& task);
  [[nodiscard]] PlanDocument& plan() { return plan_; }

  [[nodiscard]] bool empty() const;
  // Of this leader. At most `most` assignments; the others are for another time.
  [[nodiscard]] Write write(Term term, std::size_t most) const;
  // The cameras of a box, as edited.
  [[nodiscard]] const std::vector<AssignedCamera>& cameras(const BoxId& box) const;

 private:
  std::vector<AssignedCamera>& edit(const BoxId& box);
  [[nodiscard]] const AssignDocument* document(const BoxId& box) const;

  const FleetView& view_;
  std::map<BoxId, std::vector<AssignedCamera>> edited_;
  PlanDocument plan_;
};

}  // namespace saccade::fleet
