// Labelled frames without a camera: a sheet of regions, each of which is an image of the zoo's generator,
// from its `live` split, which no training or profiling has used. The images of a tick are a pure function of
// (data set, seed, number of the tick). A fixed number of images is drawn once at the start and repeated
// cyclically: drawing 64 x 64 pixels takes about 0.1 ms, and five tasks with 16 regions at 30 frames/s would
// otherwise spend a quarter of a core on drawing. Data sets of scenes with labelled boxes:
// synthetic_scenes.hpp.
// Threads: as FrameSource. Errors: an unknown data set or a label that the network does not have.
#pragma once

#include <cstdint>
#include <memory>

#include "runtime/sources/frame_source.hpp"

namespace saccade::runtime {

inline constexpr std::size_t kSyntheticImages = 2048;

[[nodiscard]] Result<std::unique_ptr<FrameSource>> open_synthetic(const SyntheticSource& source,
                                                                  const Regions& regions,
                                                                  const NetworkInputs& inputs,
                                                                  const std::vector<std::string>& labels);

}  // namespace saccade::runtime
