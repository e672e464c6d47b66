// What is to be measured, and which of it a backend supports. Threads: functions without state. Errors: what
// is omitted, and why.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "profiles/profile_set.hpp"
#include "runtime/engines/engine.hpp"
#include "runtime/machine/device_memory.hpp"
#include "runtime/profiling/profile_energy.hpp"
#include "runtime/profiling/profile_journal.hpp"
#include "runtime/profiling/profile_rounds.hpp"
#include "runtime/sources/labelled_images.hpp"

namespace saccade::runtime {

struct ProfileRequest {
  [[nodiscard]] bool measures_accuracy() const { return images && !keep_accuracy; }

  // Names, model files, hashes, interface and labels, and the measures that are kept: accuracy without
  // `images` or with `keep_accuracy`, memory and load peak without `memory_engines` if the same provider took
  // it. Every other measure is replaced.
  profiles::ProfileSet set;
  ProcessorId processor{"cpu"};
  std::string provider = "cpu";
  int device = 0;  // the three of an accelerator's provider (EngineSpec)
  bool graphs = true;
  bool block = false;
  int threads = 1;  // per inference; they use the CPUs of the calling thread

  std::vector<int> batches{1, 4, 8, 16};  // including 1; ascending
  RoundLimits rounds;                     // per batch size

  int loads = 10;                              // at least 1; the load time is their median
  const EngineBackend* uncached = nullptr;     // the same backend without cached graphs, if it caches any
  int memory_engines = 5;                      // engines of one variant held simultaneously; 0 = not measured
  DeviceMemoryMeter* device_memory = nullptr;  // of the accelerator; null = absent
  std::optional<LabelledImages> images;        // none = frames are noise, and accuracy is kept
  bool keep_accuracy = false;                  // the images are only for frames
  // Index into `set`: the variant whose answers are the truth of `images`, which have none of their own.
  std::optional<std::size_t> teacher;
  std::optional<EnergyTrial> energy;  // none = absent
  ProfileJournal* journal = nullptr;  // null = none; of measurement_identity()
};

// A word that differs for different measurements: other models, interfaces, pictures, engine, machine or
// options.
[[nodiscard]] std::string measurement_identity(const EngineBackend& backend, const ProfileRequest& request);

// Whether the set was measured with the provider that is requested.
[[nodiscard]] bool measured_with_provider(const ProfileRequest& request);

// For one variant of the request.
[[nodiscard]] EngineSpec engine_spec(const ProfileRequest& request, std::size_t variant, int batch);

// Removes the variants whose file is valid but which this backend does not support (OpenCV: int8 and fp16),
// and reports each.
[[nodiscard]] Errors leave_out_unsupported(const EngineBackend& backend, ProfileRequest& request);

// Removes batches above 1 that a variant's graph does not accept, as for networks exported for one picture at
// a time, and reports them.
[[nodiscard]] Errors leave_out_batches(const EngineBackend& backend, ProfileRequest& request);

}  // namespace saccade::runtime
