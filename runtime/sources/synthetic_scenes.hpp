// Frames with labelled boxes without a camera: scenes of the image generators, from their `live` split, which
// no training or profiling has used. A fixed number of scenes is drawn once, when the source is opened, and
// repeated cyclically; which ones is a pure function of (data set, seed). The task's regions are cut out of
// each, as from a camera's picture. Threads: as FrameSource. Errors: a label that the network does not have,
// regions that do not fit the scene.
#pragma once

#include <cstddef>
#include <memory>

#include "images/scene_generator.hpp"
#include "runtime/sources/frame_source.hpp"

namespace saccade::runtime {

inline constexpr std::size_t kSyntheticScenes = 256;  // of 224 x 224 pixels

[[nodiscard]] Result<std::unique_ptr<FrameSource>> open_scenes(const images::SceneGenerator& generator,
                                                               const SyntheticSource& source,
                                                               const Regions& regions,
                                                               const NetworkInputs& inputs,
                                                               const std::vector<std::string>& labels);

// The network's index of each of a generator's labels. Errors: labels that it does not have.
[[nodiscard]] Result<std::vector<int>> map_labels(const std::vector<std::string>& drawn,
                                                  const std::string& data_set,
                                                  const std::vector<std::string>& labels);

}  // namespace saccade::runtime
