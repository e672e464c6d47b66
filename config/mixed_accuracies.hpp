// Profile sets whose accuracies have different meanings: those of a classifier and of a detector, or measured
// and declared ones. The planner compares relative accuracies, so this is allowed, with a warning. Threads:
// pure. Errors: none; differences are warnings.
#pragma once

#include <vector>

#include "base/result.hpp"
#include "config/profile_machine.hpp"

namespace saccade::config {

// One warning for all metrics, one for all sources. A set without an accuracy source counts as
// measured next to measured ones.
[[nodiscard]] Errors mixed_accuracies(const std::vector<ProfileFile>& sets);

}  // namespace saccade::config
