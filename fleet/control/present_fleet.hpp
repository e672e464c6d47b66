// The fleet as it is: the problem of this moment (situation.hpp), its model, and what is served if every
// camera stays on its box. What has not changed since it was last asked for is kept: only the boxes whose
// cameras have changed are settled anew, so that placing a camera does not cost what a fleet costs. After a
// change of the configuration, or with rules of spread, all are. Threads: plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "fleet/assignment.hpp"
#include "fleet/control/bearings.hpp"
#include "fleet/control/judge.hpp"
#include "fleet/control/view.hpp"

namespace saccade::fleet {

class PresentFleet {
 public:
  using Health = std::function<BoxHealth(const BoxId&)>;

  // `bearings` have followed `view`; `health_changes`: the count of the judge that `health` is of.
  void follow(const FleetView& view, Bearings& bearings, std::uint64_t health_changes, const Health& health);
  // After follow(), and valid until it is called again.
  [[nodiscard]] const Problem& problem() const { return *problem_; }
  [[nodiscard]] const Model& model() const { return *model_; }
  [[nodiscard]] const Assignment& assignment(const JointLimits& limits);  // settles what has changed

 private:
  void follow_health(const FleetView& view, const Health& health);
  void note_changes(const std::vector<std::size_t>& homes);

  std::uint64_t problem_version_ = 0;
  std::uint64_t health_changes_ = 0;
  std::unique_ptr<Problem> problem_;  // null: nothing has been followed
  std::unique_ptr<Model> model_;
  std::optional<Assignment> assignment_;  // of an earlier model, if `outdated_`; empty: all are to be settled
  std::vector<bool> changed_;             // boxes that are to be settled anew
  bool outdated_ = false;
};

}  // namespace saccade::fleet
