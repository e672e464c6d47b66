// The groups of one variant's network timed through the engines that serve: cut models, each in an engine of
// its own, their inputs what the groups before made of a picture.
// Threads: the calling one, which the caller has pinned. Errors: a model that cannot be written, loaded or
// run.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "profiles/profile_set.hpp"
#include "runtime/engines/engine.hpp"
#include "runtime/profiling/layer_times.hpp"
#include "runtime/profiling/profile_energy.hpp"
#include "runtime/sources/labelled_images.hpp"
#include "vision/model/onnx_cut.hpp"

namespace saccade::runtime {

struct LayerProfileRequest {
  profiles::ProfileSet set;      // of one variant
  std::filesystem::path folder;  // where the cut models are written
  int threads = 1;               // of one inference; they get the CPUs of the calling thread
  RoundLimits rounds;
  std::optional<LabelledImages> images = {};  // none: noise
  // Of an emulated processor: after each inference the thread waits as its worker would, so that caches are
  // found as they are when serving. Times are of the inference itself, not multiplied.
  double slowdown = 1.0;
  std::optional<EnergyTrial> energy = {};  // none: energies are absent
  Watts idle = {};                         // of the device, as idle_power() found it
};

// Units and clock: as measure_profiles(). Energies are measured after all times, group by group.
[[nodiscard]] Result<LayerTimes> profile_layers(const EngineBackend& backend,
                                                const vision::OnnxCutter& cutter,
                                                const LayerProfileRequest& request, const Clock& clock,
                                                const std::function<void(double share)>& report);

}  // namespace saccade::runtime
