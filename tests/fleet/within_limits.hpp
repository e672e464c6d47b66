// Recomputes what the settled boxes of an assignment use, from the profiles.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "fleet/assignment.hpp"

namespace saccade::test {

inline void expect_within_limits(const fleet::Assignment& assignment) {
  const fleet::Problem& problem = assignment.model().problem();
  for (std::size_t b = 0; b < problem.boxes.size(); ++b) {
    const fleet::Box& box = problem.boxes[b];
    std::vector<double> time(box.processors.size(), 0.0);
    double memory = 0.0;
    for (const std::size_t camera : assignment.box(b).cameras) {
      const fleet::Camera& it = problem.cameras[camera];
      const fleet::Served& served = assignment.served(camera);
      EXPECT_EQ(served.box, b);
      EXPECT_TRUE(fleet::allows(it.where, box));
      const std::size_t variant =
          assignment.model().menu_on(assignment.model().items()[camera], b)[served.offer].variant;
      const profiles::Variant& of = box.profiles.at(it.network)->variants[variant];
      for (std::size_t p = 0; p < time.size(); ++p) {
        const auto found = of.frame_time.find(box.processors[p].id);
        if (found != of.frame_time.end()) time[p] += found->second.value() * served.rate;
      }
      memory += of.memory->value();
      EXPECT_GE(served.rate, std::min(it.task.min_fps, it.task.demand).value() - 1e-9);
      EXPECT_LE(served.rate, it.task.demand.value());
    }
    for (std::size_t p = 0; p < time.size(); ++p) {
      EXPECT_LE(time[p], box.processors[p].budget() * (1 + 1e-9)) << box.id.str();
    }
    ASSERT_TRUE(box.limits.memory);
    EXPECT_LE(memory, box.limits.memory->value() * (1 + 1e-9)) << box.id.str();
  }
}

}  // namespace saccade::test
