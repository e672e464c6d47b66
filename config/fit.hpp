// Fits a configuration to another machine. A profile is valid only for the machine it was measured on: the
// same cameras may overload a slower box and leave a faster one idle. From the same configuration, read once
// with the profiles it names and once with those measured here, this computes the factor by which every
// demand must be multiplied so that this machine is as fully used as the other one would be.
// Threads: pure. Errors: none; both configurations have the same tasks and timeline (checked).
#pragma once

#include <cstddef>

#include "runtime/run/run_config.hpp"

namespace saccade::config {

// Utilisation of the processors by the most accurate variants of all tasks in a state of the timeline: time
// share / time budget of the fullest processor.
[[nodiscard]] double fullness(const scheduler::Snapshot& snapshot);

struct Fit {
  std::size_t state = 0;  // of the timeline: the fullest one with the named profiles
  double named = 0.0;     // its utilisation with the named profiles
  double measured = 0.0;  // its utilisation with the profiles measured here
  [[nodiscard]] double factor() const { return named / measured; }
};
[[nodiscard]] Fit fit(const runtime::RunConfig& named, const runtime::RunConfig& measured);

}  // namespace saccade::config
