// A network that was cut into stages, run one after the other on the calling thread: the tensors that cross
// are copied from one engine to the next, as between processors.
// Order: prepare the picture in first(), then infer(). Threads: as Engine. Errors: those of the engines, and
// stages that do not fit together.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "runtime/engines/engine.hpp"
#include "runtime/engines/kept_tensors.hpp"
#include "vision/model/onnx_cut.hpp"

namespace saccade::runtime {

// What crosses from one stage to the next, as an engine takes it.
[[nodiscard]] std::vector<profiles::StageTensor> tensor_inputs(
    const std::vector<vision::LiveTensor>& tensors);

// The spec of one stage of a network: that of the whole network, with the stage's file, inputs and outputs.
// `first` and `last`: groups [first, last) of the network's `groups`.
[[nodiscard]] EngineSpec stage_spec(const EngineSpec& whole, const vision::CutModel& stage, std::size_t first,
                                    std::size_t last, std::size_t groups);

struct LoadedStage {
  std::unique_ptr<Engine> engine;
  EngineSpec spec;
};
// Groups [first, last) of a network as an engine of their own; the cut model is written to `folder`, unless
// it is the whole network, whose file `whole` names.
[[nodiscard]] Result<LoadedStage> load_stage(const EngineBackend& backend, const vision::OnnxCutter& cutter,
                                             const EngineSpec& whole, std::size_t first, std::size_t last,
                                             const std::filesystem::path& folder);

class StageChain {
 public:
  explicit StageChain(std::vector<LoadedStage> stages);  // in order

  [[nodiscard]] Engine& first() { return *stages_.front().engine; }
  // What the last stage gives; valid until the next call.
  [[nodiscard]] Status infer(Outputs& outputs);

 private:
  std::vector<LoadedStage> stages_;
  KeptTensors crossing_;
  Outputs between_;
};

}  // namespace saccade::runtime
