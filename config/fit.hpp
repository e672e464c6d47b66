// Fitting a configuration to another machine. A profile is true only for the machine it was measured
// on: the same cameras may drown a slower box and leave a faster one idle. Given the same configuration
// read once with the profiles it names and once with those measured here, the factor by which every
// demand has to be multiplied so that this machine becomes as full as the other one would have been.
// Threads: pure. Errors: none; both configurations have the same tasks and timeline (checked).
#pragma once

#include <cstddef>

#include "runtime/run/run_config.hpp"

namespace saccade::config {

// How full the most accurate variants of all tasks make the processors in a state of the timeline:
// time share / time budget of the fullest processor.
[[nodiscard]] double fullness(const scheduler::Snapshot& snapshot);

struct Fit {
  std::size_t state = 0;  // of the timeline: the one whose demand is fullest with the named profiles
  double named = 0.0;     // its fullness with the named profiles
  double measured = 0.0;  // its fullness with the profiles measured here
  [[nodiscard]] double factor() const { return named / measured; }
};
[[nodiscard]] Fit fit(const runtime::RunConfig& named, const runtime::RunConfig& measured);

}  // namespace saccade::config
