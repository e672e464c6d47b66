#include "runtime/engines/engine.hpp"

#include <array>
#include <utility>
#include <variant>

#include "runtime/engines/graph_cache.hpp"
#include "runtime/engines/kept_tensors.hpp"
#include "runtime/engines/onnxruntime_backend.hpp"
#include "runtime/engines/opencv_backend.hpp"
#include "runtime/engines/simulated_backend.hpp"
#include "runtime/pictures/resizing.hpp"

namespace saccade::runtime {

namespace {

using MadeBackend = Result<std::unique_ptr<EngineBackend>>;
using Cache = std::optional<GraphCacheOptions>;

MadeBackend make_onnxruntime(const Cache& cache, const std::string& folder) {
  return make_onnxruntime_backend(cache ? GraphCache::open(*cache) : nullptr, folder);
}

MadeBackend make_opencv(const Cache&, const std::string&) { return make_opencv_backend(); }

MadeBackend make_simulated(const Cache&, const std::string&) {
  return std::unique_ptr<EngineBackend>(std::make_unique<SimulatedBackend>());
}

struct Maker {
  const char* name;
  MadeBackend (*make)(const Cache&, const std::string& library_folder);
};

constexpr std::array kMakers{
    // in the order in which "auto" prefers them
    Maker{"onnxruntime", make_onnxruntime},
    Maker{"opencv", make_opencv},
    Maker{"simulated", make_simulated},
};

// The outputs that a decoder names; empty where it looks for some of them itself.
struct NamedOutputs {
  using Names = std::vector<std::string>;
  Names operator()(const profiles::ClassifyDecoder& classify) const { return filled({classify.output}); }
  Names operator()(const profiles::YoloDecoder& yolo) const { return filled({yolo.output}); }
  Names operator()(const profiles::SsdDecoder& ssd) const {
    if (ssd.boxes.empty() || ssd.scores.empty()) return {};
    return filled({ssd.boxes, ssd.scores, ssd.classes, ssd.count});
  }
  Names operator()(const profiles::DetrDecoder& detr) const {
    if (detr.boxes.empty() || (detr.logits.empty() && detr.scores.empty())) return {};
    return filled({detr.boxes, detr.logits, detr.labels, detr.scores});
  }
  Names operator()(const profiles::TensorDecoder& tensor) const { return tensor.outputs; }

  static Names filled(Names names) {
    std::erase(names, "");
    return names;
  }
};

}  // namespace

EngineSpec engine_spec(const profiles::ProfileSet& set, std::size_t variant, int batch) {
  const profiles::Variant& chosen = set.variants.at(variant);
  EngineSpec spec;
  spec.model = chosen.model.empty() ? std::filesystem::path() : set.directory / chosen.model;
  spec.sha256 = chosen.sha256;
  spec.batch = batch;
  profiles::ModelInterface interface = profiles::interface_of(set, chosen);
  spec.input = std::move(interface.input);
  spec.channels = set.input.channels;
  spec.constants = std::move(interface.constants);
  spec.outputs = std::visit(NamedOutputs{}, interface.decoder);
  if (interface.task == profiles::NetworkTask::classify) spec.classes = set.labels.size();
  spec.processor = set.device.processors.empty() ? ProcessorId("cpu") : set.device.processors.front();
  spec.profile = &chosen;
  return spec;
}

std::span<const float> logits_of(const Outputs& outputs) {
  if (outputs.empty()) return {};
  const auto* numbers = std::get_if<std::span<const float>>(&outputs.front().data);
  return numbers != nullptr ? *numbers : std::span<const float>();
}

Status Engine::take(std::span<const vision::TensorView> /*tensors*/) {
  return Error{"the engine", "takes pictures, not tensors of another stage", ""};
}

Status prepare_black(Engine& engine, const EngineSpec& spec) {
  if (spec.takes_tensors()) {
    const KeptTensors zeros(spec.tensors);
    return engine.take(zeros.views());
  }
  if (spec.channels != profiles::channels_of(spec.input.color)) {
    return engine.prepare(std::vector<float>(static_cast<std::size_t>(spec.batch) * spec.input_size()));
  }
  Picture black;
  black.resize(spec.input.width, spec.input.height);
  for (std::size_t place = 0; place < static_cast<std::size_t>(spec.batch); ++place) {
    if (auto prepared = engine.prepare(place, black, black.whole()); !prepared) return prepared;
  }
  return Done{};
}

Result<std::unique_ptr<EngineBackend>> make_backend(const std::string& name, const Cache& cache,
                                                    const std::string& library_folder) {
  keep_opencv_on_the_calling_thread();
  std::string known = "auto";
  for (const Maker& maker : kMakers) {
    if (name == maker.name) return maker.make(cache, library_folder);
    if (name == "auto") {
      auto backend = maker.make(cache, library_folder);
      if (backend) return backend;
    }
    known += std::string(", ") + maker.name;
  }
  return Error{"engine backend '" + name + "'", "is not known", "one of " + known};
}

std::string available_backends() {
  std::string text;
  for (const Maker& maker : kMakers) {
    const auto backend = maker.make(std::nullopt, "");
    if (!backend) continue;
    if (!text.empty()) text += ", ";
    text += backend.value()->version();
  }
  return text;
}

}  // namespace saccade::runtime
