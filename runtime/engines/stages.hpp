// A network that was cut into stages, each an engine of its own: run one after the other on the calling
// thread, or stage by stage on several (runtime/real), where a frame's tensors are kept between its stages.
// The tensors that cross are copied from one engine to the next. Several chains may have the engine of a
// stage in common (stage_engine.hpp). Order: prepare the picture in first(), then infer(). Threads: a stage
// as a StageEngine; lend() and take_back() one at a time. Errors: those of the engines, and stages that do
// not fit together.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "runtime/engines/engine.hpp"
#include "runtime/engines/kept_tensors.hpp"
#include "runtime/engines/stage_engine.hpp"
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
  using Copies = std::vector<std::shared_ptr<StageEngine>>;  // of a stage, on processors of their own
  using Stages = std::vector<Copies>;
  // In order, none without an engine; the last has one. `frames`: so many are between two stages at most.
  explicit StageChain(Stages stages, std::size_t frames = 0);
  explicit StageChain(std::vector<LoadedStage> stages);

  [[nodiscard]] Engine& first() { return *stages_.front().front(); }
  [[nodiscard]] Engine& last() { return *stages_.back().front(); }
  [[nodiscard]] Engine& stage(std::size_t number, std::size_t copy = 0) {
    return *stages_.at(number).at(copy);
  }
  [[nodiscard]] const Stages& stages() const { return stages_; }
  [[nodiscard]] bool has(const std::shared_ptr<StageEngine>& stage) const;
  // That is offered and equals the spec (StageEngine); null: none is.
  [[nodiscard]] std::shared_ptr<StageEngine> offered(const EngineSpec& spec) const;
  [[nodiscard]] std::size_t size() const { return stages_.size(); }
  // That of the first engine that has one and is not warm yet: another chain has had the others before.
  [[nodiscard]] std::string remark() const;
  // What the last stage gives; valid until the next call. In the first copy of every stage.
  [[nodiscard]] Status infer(Outputs& outputs);

  // Infers with a black picture, in every copy. A stage that is warm does not run: another chain may be using
  // it. What it gave in its own warm-up stands for its outputs.
  [[nodiscard]] Status warm_up(Outputs& outputs);
  // After the last warm_up(), all of which succeeded: all stages are warm. Error: one was stopped meanwhile.
  [[nodiscard]] Status end_warm_up();

  void withdraw();  // all of its stages (StageEngine::withdraw())

  // Room for what crosses of one frame, until it is taken back.
  [[nodiscard]] KeptTensors& lend();
  void take_back(KeptTensors& tensors);

 private:
  template <class Use>
  void for_each_engine(const Use& use) const;
  [[nodiscard]] Status warm_up(std::size_t number, StageEngine& stage, Outputs& given);

  const Stages stages_;
  KeptTensors crossing_;
  Outputs between_;
  std::vector<std::unique_ptr<KeptTensors>> rooms_;
  std::vector<KeptTensors*> free_;
};

}  // namespace saccade::runtime
