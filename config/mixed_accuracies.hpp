// Profile sets whose accuracies do not mean the same: those of a classifier and of a detector, or measured
// and declared ones. The planner compares relative accuracies, so this is allowed, and said. Threads: pure.
// Errors: none; what differs is a warning.
#pragma once

#include <vector>

#include "base/result.hpp"
#include "config/profile_machine.hpp"

namespace saccade::config {

// One warning for all metrics, one for all sources. A set that does not say where its accuracies come from
// differs from none.
[[nodiscard]] Errors mixed_accuracies(const std::vector<ProfileFile>& sets);

}  // namespace saccade::config
