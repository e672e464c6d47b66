// The two accuracy floors of a task, as one table.
// Threads: constants.
#pragma once

#include <optional>

#include "scheduler/snapshot.hpp"

namespace saccade::scheduler {

struct AccuracyFloor {
  const char* name;
  std::optional<double> Task::*field;
  double VariantCost::*measure;
};
inline constexpr AccuracyFloor kAccuracyFloors[] = {
    {"min_accuracy", &Task::min_accuracy, &VariantCost::accuracy},
    {"min_relative_accuracy", &Task::min_relative_accuracy, &VariantCost::relative_accuracy},
};

}  // namespace saccade::scheduler
