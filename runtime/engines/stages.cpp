#include "runtime/engines/stages.hpp"

#include <algorithm>
#include <fstream>
#include <utility>

#include "base/check.hpp"

namespace saccade::runtime {
namespace {

std::vector<profiles::StageTensor> all_crossing(const StageChain::Stages& stages) {
  std::vector<profiles::StageTensor> all;
  for (const StageChain::Copies& copies : stages) {
    for (const profiles::StageTensor& tensor : copies.front()->spec().tensors) {
      if (std::find(all.begin(), all.end(), tensor) == all.end()) all.push_back(tensor);
    }
  }
  return all;
}

StageChain::Stages engines_of(std::vector<LoadedStage> loaded) {
  StageChain::Stages stages;
  for (LoadedStage& each : loaded) {
    stages.push_back({std::make_shared<StageEngine>(std::move(each.engine), std::move(each.spec))});
  }
  return stages;
}

}  // namespace

std::vector<profiles::StageTensor> tensor_inputs(const std::vector<vision::LiveTensor>& tensors) {
  std::vector<profiles::StageTensor> inputs;
  for (const vision::LiveTensor& tensor : tensors) {
    SACCADE_CHECK(tensor.type.has_value());  // the chain is cut nowhere else
    inputs.push_back({tensor.name, *tensor.type, tensor.shape});
  }
  return inputs;
}

EngineSpec stage_spec(const EngineSpec& whole, const vision::CutModel& stage, std::size_t first,
                      std::size_t last, std::size_t groups) {
  EngineSpec spec = whole;
  spec.model.clear();
  spec.sha256.clear();
  if (first > 0) {
    spec.tensors = tensor_inputs(stage.inputs);
    spec.constants.clear();
  }
  if (last < groups) {
    spec.outputs.clear();
    for (const vision::LiveTensor& tensor : stage.outputs) spec.outputs.push_back(tensor.name);
    spec.classes = 0;
  }
  return spec;
}

std::vector<EngineSpec> stage_specs(const EngineSpec& whole, const profiles::ProfileSet& set,
                                    const profiles::Staging& staging) {
  std::vector<EngineSpec> specs;
  for (const profiles::Stage& stage : staging.stages) {
    EngineSpec& spec = specs.emplace_back(whole);
    spec.model = stage.model.empty() ? std::filesystem::path() : set.directory / stage.model;
    spec.sha256 = stage.sha256;
    if (!stage.takes.empty()) {
      spec.tensors = stage.takes;
      spec.constants.clear();
    }
    if (stage.gives.empty()) continue;
    spec.outputs.clear();
    for (const profiles::StageTensor& tensor : stage.gives) spec.outputs.push_back(tensor.name);
    spec.classes = 0;
  }
  return specs;
}

Result<LoadedStage> load_stage(const EngineBackend& backend, const vision::OnnxCutter& cutter,
                               const EngineSpec& whole, std::size_t first, std::size_t last,
                               const std::filesystem::path& folder) {
  LoadedStage stage{nullptr, whole};
  const std::size_t groups = cutter.chain().groups.size();
  if (first > 0 || last < groups) {
    const vision::CutModel model = cutter.cut(first, last);
    stage.spec = stage_spec(whole, model, first, last, groups);
    stage.spec.model = folder / (std::to_string(first) + "-" + std::to_string(last - 1) + ".onnx");
    std::ofstream out(stage.spec.model, std::ios::binary);
    out.write(model.bytes.data(), static_cast<std::streamsize>(model.bytes.size()));
    out.close();
    if (!out) return Error{stage.spec.model.string(), "a part of the network cannot be written there", ""};
  }
  auto engine = backend.load(stage.spec);
  if (!engine) return engine.errors();
  stage.engine = std::move(engine).value();
  return stage;
}

StageChain::StageChain(Stages stages, std::size_t frames)
    : stages_(std::move(stages)), crossing_(all_crossing(stages_)) {
  SACCADE_CHECK(!stages_.empty() && stages_.back().size() == 1);
  for (std::size_t i = 0; i < frames; ++i) {
    free_.push_back(rooms_.emplace_back(std::make_unique<KeptTensors>(all_crossing(stages_))).get());
  }
}

StageChain::StageChain(std::vector<LoadedStage> stages) : StageChain(engines_of(std::move(stages))) {}

template <class Use>
void StageChain::for_each_engine(const Use& use) const {
  for (const Copies& copies : stages_) {
    for (const auto& engine : copies) use(engine);
  }
}

bool StageChain::has(const std::shared_ptr<StageEngine>& stage) const {
  bool found = false;
  for_each_engine([&](const auto& engine) { found = found || engine == stage; });
  return found;
}

std::shared_ptr<StageEngine> StageChain::offered(const EngineSpec& spec) const {
  std::shared_ptr<StageEngine> found;
  for_each_engine([&](const auto& engine) {
    if (!found && engine->is_offered() && engine->equals(spec)) found = engine;
  });
  return found;
}

void StageChain::withdraw() {
  for_each_engine([](const auto& engine) { engine->withdraw(); });
}

std::string StageChain::remark() const {
  std::string remark;
  for_each_engine([&](const auto& engine) {
    if (remark.empty() && !engine->is_warm()) remark = engine->remark();
  });
  return remark;
}

KeptTensors& StageChain::lend() {
  SACCADE_CHECK(!free_.empty());
  KeptTensors* const room = free_.back();
  free_.pop_back();
  return *room;
}

void StageChain::take_back(KeptTensors& tensors) { free_.push_back(&tensors); }

Status StageChain::infer(Outputs& outputs) {
  for (std::size_t k = 0; k < stages_.size(); ++k) {
    const bool last = k + 1 == stages_.size();
    Engine& engine = stage(k);
    if (k > 0) {
      if (auto taken = engine.take(crossing_.views()); !taken) return taken;
    }
    if (auto done = engine.infer(last ? outputs : between_); !done) return done;
    if (last) break;
    if (auto kept = crossing_.keep(between_); !kept) return kept;
  }
  return Done{};
}

Status StageChain::warm_up(Outputs& outputs) {
  for (std::size_t k = 0; k < stages_.size(); ++k) {
    const bool last = k + 1 == stages_.size();
    Outputs& given = last ? outputs : between_;
    for (const auto& engine : stages_[k]) {
      if (auto done = warm_up(k, *engine, given); !done) return done;
    }
    if (last) break;
    if (auto kept = crossing_.keep(given); !kept) return kept;
  }
  return Done{};
}

Status StageChain::warm_up(std::size_t number, StageEngine& stage, Outputs& given) {
  if (stage.is_warm()) {
    given.assign(stage.gave().begin(), stage.gave().end());
    return Done{};
  }
  if (auto taken = number > 0 ? stage.take(crossing_.views()) : prepare_black(stage, stage.spec()); !taken)
    return taken;
  if (auto done = stage.infer(given); !done) return done;
  return stage.note_outputs(given);
}

Status StageChain::end_warm_up() {
  Status runs = Done{};
  for_each_engine([&](const auto& engine) {
    if (runs.ok()) runs = engine->not_stopped();
  });
  if (runs.ok()) for_each_engine([](const auto& engine) { engine->set_warm(); });
  return runs;
}

}  // namespace saccade::runtime
