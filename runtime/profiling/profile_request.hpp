// What is to be measured, and what of it a backend can do. Threads: functions without state. Errors: what is
// left out, and why.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "profiles/profile_set.hpp"
#include "runtime/engines/engine.hpp"
#include "runtime/profiling/profile_energy.hpp"
#include "runtime/profiling/profile_journal.hpp"
#include "runtime/profiling/profile_rounds.hpp"
#include "runtime/sources/labelled_images.hpp"

namespace saccade::runtime {

struct ProfileRequest {
  [[nodiscard]] bool measures_accuracy() const { return images && !keep_accuracy; }

  // Names, model files, hashes, interface and labels, and the measures that are kept: accuracy without
  // `images` or with `keep_accuracy`, memory and the peak of loading without `memory_engines`. Every other
  // measure is replaced.
  profiles::ProfileSet set;
  ProcessorId processor{"cpu"};
  std::string provider = "cpu";
  int threads = 1;  // that compute one inference; they get the CPUs of the calling thread

  std::vector<int> batches{1, 4, 8, 16};  // with 1; ascending
  RoundLimits rounds;                     // per batch size

  int loads = 10;                           // at least 1; the load time is their median
  const EngineBackend* uncached = nullptr;  // the same backend without kept graphs, where there are some
  int memory_engines = 5;                   // engines of one variant held at once; 0 = memory is kept
  std::optional<LabelledImages> images;     // none = frames are of noise, and accuracy is kept
  bool keep_accuracy = false;               // the images are for frames alone
  // Of `set`: what this variant answers is the truth of `images`, which have none of their own.
  std::optional<std::size_t> teacher;
  std::optional<EnergyTrial> energy;  // none = absent
  ProfileJournal* journal = nullptr;  // null = none; of measurement_identity()
};

// A word that differs when another measurement is asked for: other models, interfaces, pictures, engine,
// machine or options.
[[nodiscard]] std::string measurement_identity(const EngineBackend& backend, const ProfileRequest& request);

// Of one variant of the request.
[[nodiscard]] EngineSpec engine_spec(const ProfileRequest& request, std::size_t variant, int batch);

// Takes the variants out of the request whose file is the right one and which this backend refuses all
// the same (OpenCV: int8 and fp16), and says so for each.
[[nodiscard]] Errors leave_out_unsupported(const EngineBackend& backend, ProfileRequest& request);

// Takes out the batches above 1 that a variant's graph does not take, as of networks that were exported for
// one picture at a time, and says so.
[[nodiscard]] Errors leave_out_batches(const EngineBackend& backend, ProfileRequest& request);

}  // namespace saccade::runtime
