#include "runtime/engines/stages.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"

namespace saccade::runtime {
namespace {

std::vector<profiles::StageTensor> all_crossing(const std::vector<EngineSpec>& specs) {
  std::vector<profiles::StageTensor> all;
  for (const EngineSpec& spec : specs) {
    for (const profiles::StageTensor& tensor : spec.tensors) {
      if (std::find(all.begin(), all.end(), tensor) == all.end()) all.push_back(tensor);
    }
  }
  return all;
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

StageChain::StageChain(std::vector<std::unique_ptr<Engine>> engines, const std::vector<EngineSpec>& specs)
    : engines_(std::move(engines)), crossing_(all_crossing(specs)) {
  SACCADE_CHECK(!engines_.empty() && engines_.size() == specs.size());
}

Status StageChain::infer(Outputs& outputs) {
  for (std::size_t k = 0; k < engines_.size(); ++k) {
    const bool last = k + 1 == engines_.size();
    if (k > 0) {
      if (auto taken = engines_[k]->take(crossing_.views()); !taken) return taken;
    }
    if (auto done = engines_[k]->infer(last ? outputs : between_); !done) return done;
    if (last) break;
    if (auto kept = crossing_.keep(between_); !kept) return kept;
  }
  return Done{};
}

}  // namespace saccade::runtime
