// The decision of the fleet: which box serves each camera, what that is worth, and what no assignment can
// exceed.
//   prices   what a unit of every row of every group is worth (prices.hpp); their bound is proven
//   place    cameras that have no box, or all of them, by these prices (place.hpp)
//   settle   every box with its cameras, exactly (joint.hpp)
//   improve  two boxes at a time (improve.hpp); a small fleet as a whole; one of few boxes, where rounds are
//            given, by neighbourhoods (neighbourhoods.hpp)
//   N-1      a certificate per box (survival.hpp)
// A plan is lexicographic as that of a box: from the highest class down the weight of cameras that are off,
// then the weighted frames/s that are lost; then the value.
// Threads: pure. The same problem and limits give the same plan, whatever the order of boxes and cameras,
// unless `stop` ends it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fleet/assignment.hpp"
#include "fleet/improve.hpp"
#include "fleet/model.hpp"
#include "fleet/neighbourhoods.hpp"
#include "fleet/prices.hpp"
#include "fleet/survival.hpp"
#include "scheduler/policy.hpp"

namespace saccade::fleet {

struct PlanLimits {
  int passes = 300;                   // of every part (relaxation.hpp), for the prices
  std::optional<std::int64_t> pairs;  // of boxes for the improvement; absent: four per box, at least 200
  double gap = 0.0;                   // relative: the improvement may end once this is proven
  JointLimits joint;
  std::int64_t rounds = 0;  // of the neighbourhood search; kSearchRounds where a few seconds are worth it
  bool survival = true;
  std::function<bool()> stop = nullptr;
  // Ends the passes for the prices that place the cameras, so that time is left to improve what they give,
  // and the neighbourhood search. Empty: `stop` does.
  std::function<bool()> stop_prices = nullptr;
};

struct FleetPlan {
  Assignment assignment;
  Prices prices;       // that placed it
  double value = 0.0;  // less moving costs
  // On the value of every assignment whose losses are 0 in all the classes and measures in which this one's
  // are 0.
  double bound = 0.0;
  Losses losses;
  Losses loss_bounds;  // no assignment that is as good in all the earlier losses loses less than this
  std::size_t moves = 0;
  bool exact = false;                     // proven by the search over the whole fleet, not by prices
  std::vector<Certificate> certificates;  // empty unless asked for
  Improvement improvement;
  NeighbourhoodSearch search;

  [[nodiscard]] double gap() const;  // |bound - value| / max(|value|, 1e-9)
};

[[nodiscard]] FleetPlan plan_fleet(const Model& model, const PlanLimits& limits);

// What is served if every camera stays on its box, as far as that may keep it.
[[nodiscard]] Assignment settle_kept(const Model& model, const JointLimits& limits);

// What settle_kept() gives, with the bounds of a plan.
[[nodiscard]] FleetPlan plan_kept(const Model& model, const PlanLimits& limits);

// The homes of all cameras: where they are, as far as their boxes may keep them.
[[nodiscard]] std::vector<std::size_t> homes_of(const Model& model);

// settle_kept() after homes have changed. `before`: its result of the same cameras and hardware; `changed`:
// boxes that were or are the home of a camera that has another now; all, if there are rules of spread.
[[nodiscard]] Assignment settle_kept(const Model& model, const JointLimits& limits, const Assignment& before,
                                     const std::vector<bool>& changed);

// A bound on the value, and on every loss, as FleetPlan says, for any assignment.
void prove(const Model& model, const PlanLimits& limits, FleetPlan& plan);

// What a box's own planner decides when it is given its cameras: the plan it would print.
[[nodiscard]] scheduler::Plan plan_of_box(const Assignment& assignment, std::size_t box,
                                          const scheduler::DecideLimits& limits);

// Why a camera is off, in a sentence; empty if it is served.
[[nodiscard]] std::string why_off(const Assignment& assignment, std::size_t camera);

}  // namespace saccade::fleet
