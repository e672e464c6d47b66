// A network that was cut into stages, each an engine of its own: run one after the other on the calling
// thread, or stage by stage on several (runtime/real), where a frame's tensors are kept between its stages.
// The tensors that cross are copied from one engine to the next. Order: prepare the picture in first(), then
// infer(). Threads: a stage as an Engine; lend() and take_back() one at a time. Errors: those of the engines,
// and stages that do not fit together.
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

// The specs of the stages of a variant, in order, from that of the variant; processor and provider remain to
// be set.
[[nodiscard]] std::vector<EngineSpec> stage_specs(const EngineSpec& whole, const profiles::ProfileSet& set,
                                                  const profiles::Staging& staging);

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
  // In order. `frames`: so many are between two stages at most.
  explicit StageChain(std::vector<LoadedStage> stages, std::size_t frames = 0);

  [[nodiscard]] Engine& first() { return *stages_.front().engine; }
  [[nodiscard]] Engine& last() { return *stages_.back().engine; }
  [[nodiscard]] Engine& stage(std::size_t number) { return *stages_.at(number).engine; }
  [[nodiscard]] const EngineSpec& first_spec() const { return stages_.front().spec; }
  [[nodiscard]] std::size_t size() const { return stages_.size(); }
  [[nodiscard]] std::string remark() const;  // that of the first engine that has one
  // What the last stage gives; valid until the next call.
  [[nodiscard]] Status infer(Outputs& outputs);

  // Room for what crosses of one frame, until it is taken back.
  [[nodiscard]] KeptTensors& lend();
  void take_back(KeptTensors& tensors);

 private:
  std::vector<LoadedStage> stages_;
  KeptTensors crossing_;
  Outputs between_;
  std::vector<std::unique_ptr<KeptTensors>> rooms_;
  std::vector<KeptTensors*> free_;
};

}  // namespace saccade::runtime
