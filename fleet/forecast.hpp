// What the boxes are expected to do with an assignment: variant and rate of every camera, how full the boxes
// are, which losses are survived. Every box decides itself in the end (plan_of_box()). Threads: plain value
// and function without state.
#pragma once

#include <cstddef>
#include <map>

#include "fleet/plan.hpp"

namespace saccade::fleet {

struct Forecast {
  struct OfCamera {
    BoxId box;
    VariantId variant;
    Fps rate{0.0};
    double accuracy = 0.0;  // relative to the best of the network in the fleet
  };
  struct OfBox {        // shares of its capacities, the reserve not counted; 0 without such a limit
    double time = 0.0;  // of the fullest processor
    double memory = 0.0;
    double energy = 0.0;
    bool survives = false;  // its loss is certified to cost no demand
  };
  std::map<TaskId, OfCamera> cameras;  // those that are served
  std::map<TaskId, BoxId> backups;     // of cameras with `standby`: the box that would take each
  std::map<BoxId, OfBox> boxes;        // those that serve a camera
  std::size_t demanded = 0;            // cameras
  std::size_t survived = 0;            // boxes whose loss is certified
  // Relative accuracy of all that is demanded, by weight and rate; 1 if nothing is.
  double accuracy = 1.0;
  double value = 0.0;
  double bound = 0.0;
};

[[nodiscard]] Forecast forecast_of(const FleetPlan& plan);

}  // namespace saccade::fleet
