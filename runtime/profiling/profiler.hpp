// Measures the variants of one network through an engine backend, as they will serve: times over rounds in
// which every variant runs once in turn, so that each finds the caches as other engines left them and a slow
// phase of the machine affects all of them; accuracy, memory and loading through the same engines. What was
// not measured is absent.
// With a journal nothing is measured twice: loading, accuracy and energy are saved per variant (and batch),
// times in blocks of whole rounds; an interrupted measurement resumes after the last complete block, with a
// warm-up. Order: fill a ProfileRequest, call measure_profiles() once. Units: seconds of the given clock:
// ThreadCpuClock if the calling thread computes all of an inference (time that other programs use on the core
// is not attributed to the variant), SteadyClock if it waits for another device or other threads. Threads:
// everything runs on the calling thread, which the caller has pinned to the core to be measured. Errors: a
// variant that cannot be loaded or run ends the measurement; no partial result is returned.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "profiles/profile_set.hpp"
#include "runtime/engines/engine.hpp"
#include "runtime/profiling/picture_accuracy.hpp"
#include "runtime/profiling/profile_request.hpp"
#include "runtime/profiling/profile_statistics.hpp"

namespace saccade::runtime {

struct ProfileProgress {
  std::string phase;
  int number = 1;  // of the phase, from 1
  int phases = 1;
  double share = 0.0;  // of this phase, in [0, 1]
};

struct MeasuredProfiles {
  profiles::ProfileSet set;
  // Of the frame times at batch 1 (profile_statistics.hpp):
  std::vector<double> spread;       // per variant
  std::vector<double> mean;         // per variant, seconds
  std::vector<IndexPair> unranked;  // neighbours in speed, the faster first
  // Per variant, if measured; else empty.
  std::vector<MeasuredAccuracy> accuracy;
};

using ReportProgress = std::function<void(const ProfileProgress&)>;

[[nodiscard]] Result<MeasuredProfiles> measure_profiles(const EngineBackend& backend,
                                                        const ProfileRequest& request, const Clock& clock,
                                                        const ReportProgress& progress);

}  // namespace saccade::runtime
