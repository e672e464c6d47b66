// Measures the variants of one network through an engine backend, as they will serve: times over
// rounds in which every variant runs once in turn, so that each finds the caches as other engines left
// them and a slow moment of the machine hits all of them; accuracy, memory and loading through the same
// engines. What was not measured is absent.
// With a journal nothing is measured twice: loading, accuracy and energy are kept per variant, times in
// blocks of whole rounds; a measurement that was killed goes on behind the last of them, after a warm-up.
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
#include "runtime/profile_energy.hpp"
#include "runtime/profile_journal.hpp"
#include "runtime/profile_rounds.hpp"
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
  RoundLimits rounds;                     // per batch size

  int loads = 10;                           // at least 1; the load time is their median
  const EngineBackend* uncached = nullptr;  // the same backend without kept graphs, where there are some
  int memory_engines = 5;                   // engines of one variant held at once; 0 = memory is kept
  std::optional<LabelledImages> images;     // none = accuracy is kept
  std::optional<EnergyTrial> energy;        // none = absent
  ProfileJournal* journal = nullptr;        // null = none; of measurement_identity()
};

// A word that differs when another measurement is asked for: other models, engine, machine or options.
[[nodiscard]] std::string measurement_identity(const EngineBackend& backend, const ProfileRequest& request);

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
