// The planner on a store that is a variable: what it writes is what is there, at once or not at all.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <string>

#include "fleet/control/planner.hpp"
#include "tests/fleet/fleets.hpp"

namespace saccade::fleet {

class FleetPlanner : public testing::Test {
 protected:
  void fleet(std::size_t boxes, std::size_t cameras, double load = 0.4) {
    test::FleetShape shape;
    shape.boxes = boxes;
    shape.cameras = cameras;
    shape.load = load;
    shape.kinds = 1;
    view_.problem = test::RandomFleet(3, shape).next();
    view_.problem_version = 1;
    view_.store_term = 1;
    for (const Box& box : view_.problem.boxes) view_.alive[box.id] = kUsualLease;
    for (const Camera& camera : view_.problem.cameras) view_.tasks[camera.task.id] = "task";
  }
  // Boxes that are alive and obey serve what they are assigned, two steps later.
  void pass(int steps) {
    for (int i = 0; i < steps; ++i) {
      now_ += std::chrono::milliseconds(500);
      const std::optional<Write> write = planner_.step(view_, 7, now_);
      if (write) apply(*write);
      for (const BoxId& box : planner_.judge().take_probes()) {
        const auto reached = reached_.find(box);
        planner_.judge().probed(box, answers_.contains(box), now_,
                                reached == reached_.end() ? std::nullopt : std::optional(reached->second));
      }
      if (i % 2 == 0) obey();
    }
  }
  void apply(const Write& write) {
    ++revision_;
    for (const auto& [box, document] : write.assigned) view_.assigned[box] = {document, revision_};
    view_.plan = {write.plan, revision_};
  }
  void obey() {
    for (const auto& [box, held] : view_.assigned) {
      if (!view_.alive.contains(box) || deaf_.contains(box)) continue;
      StateDocument state{held.revision, {}};
      for (const AssignedCamera& camera : held.document.cameras) {
        state.cameras.push_back({camera.id, camera.epoch, CameraStatus::serving, ""});
      }
      view_.states[box] = {state, ++revision_};
    }
  }
  [[nodiscard]] std::map<std::string, std::string> homes() const {
    std::map<std::string, std::string> homes;
    for (const auto& [id, camera] : whereabouts(view_.assigned).cameras) {
      if (camera.serve) homes[id.str()] = camera.serve->box.str();
    }
    return homes;
  }
  [[nodiscard]] std::set<std::string> on(const std::string& box) const {
    std::set<std::string> cameras;
    for (const auto& [camera, home] : homes()) {
      if (home == box) cameras.insert(camera);
    }
    return cameras;
  }
  // Cameras with the boxes that stand by for them: one each.
  [[nodiscard]] std::map<std::string, std::string> standbys() const {
    std::map<std::string, std::string> boxes;
    for (const auto& [box, held] : view_.assigned) {
      for (const StandbyCamera& each : held.document.standby) {
        EXPECT_TRUE(boxes.emplace(each.id.str(), box.str()).second) << each.id.str() << " has two";
        EXPECT_EQ(each.task, "task");
      }
    }
    return boxes;
  }

  FleetView view_;
  Planner planner_{PlannerSettings{}};
  TimePoint now_{};
  std::int64_t revision_ = 0;
  std::set<BoxId> answers_;
  std::map<BoxId, Duration> reached_;  // of boxes that say how long ago the store answered them
  std::set<BoxId> deaf_;
};

}  // namespace saccade::fleet
