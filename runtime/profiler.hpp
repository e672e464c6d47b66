// Measures the variants of one network through an engine backend, as they will serve: times over
// rounds in which every variant runs once in turn, so that each finds the caches as other engines left
// them and a slow moment of the machine hits all of them; accuracy, memory and loading through the same
// engines. What was not measured is absent.
// Order: fill a ProfileRequest, call measure_profiles() once.
// Units: seconds of the given clock: ThreadCpuClock where the calling thread computes all of an inference
// (what other programs take of the core meanwhile is not the variant's), SteadyClock where it waits for
// another device. Threads: everything runs on the calling thread, which the caller
// has pinned to the core to be measured. Errors: a variant that cannot be loaded or run ends the
// measurement; nothing half-measured comes back.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "profiles/profile_set.hpp"
#include "runtime/engine.hpp"
#include "runtime/profile_statistics.hpp"
#include "runtime/sources/held_out_images.hpp"

namespace saccade::runtime {

struct ProfileRequest {
  // Names, model files, hashes, input and labels, and the measures that are kept: accuracy without
  // `images`, memory and the peak of loading without `memory_engines`. Every other measure is replaced.
  profiles::ProfileSet set;
  ProcessorId processor{"cpu"};
  std::string provider = "cpu";

  std::vector<int> batches{1, 4, 8, 16};  // with 1; ascending
  int warmup_rounds = 20;
  // Rounds per batch size: at least `fewest`, then on until `most` or until the time is used.
  int fewest_rounds = 30;
  int most_rounds = 1000;
  Seconds time_per_batch{40.0};

  int loads = 10;  // before the loads that the other measures need; the load time is the median of all
  int memory_engines = 5;                // engines of one variant held at once; 0 = memory is kept
  std::optional<LabelledImages> images;  // none = accuracy is kept
};

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
};

// Takes the variants out of the request whose file is the right one and which this backend refuses all
// the same (OpenCV: int8 and fp16), and says so for each.
[[nodiscard]] Errors leave_out_unsupported(const EngineBackend& backend, ProfileRequest& request);

using ReportProgress = std::function<void(const ProfileProgress&)>;

[[nodiscard]] Result<MeasuredProfiles> measure_profiles(const EngineBackend& backend,
                                                        const ProfileRequest& request, const Clock& clock,
                                                        const ReportProgress& progress);

}  // namespace saccade::runtime
