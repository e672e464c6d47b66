// An engine: one loaded variant, ready to run one fixed batch. It prepares its own input, from pictures or
// tensors, so that variants may differ in the size, layout, type and normalisation of their input. The
// backend is its factory, and one conformance suite (tests/conformance) must be passed by every backend.
// Call order: prepare() for every place of the batch, then infer(), repeatedly.
// Threads: a backend may be called from any thread. An engine is used by one thread at a time, except for
// stop(); load, warm-up and destruction happen on a loader thread, prepare() and infer() on the processor's
// worker. Errors: expected failures (missing file, wrong hash, corrupt model, out of memory, an inference
// that throws inside the library) are returned as Errors; no vendor exception leaves the adapter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/id.hpp"
#include "base/quantity.hpp"
#include "base/result.hpp"
#include "profiles/profile_set.hpp"
#include "runtime/engines/graph_cache_options.hpp"
#include "runtime/pictures/picture.hpp"
#include "vision/decode/output_port.hpp"
#include "vision/decode/tensor.hpp"

namespace saccade::runtime {

// What to load.
struct EngineSpec {
  std::filesystem::path model;
  std::string sha256;  // lower-case hex; empty = not checked
  int batch = 1;
  profiles::PictureInput input;  // of one region; layout and type absent: the graph's
  int channels = 3;  // where the colours of `input` have another number, only numbers are prepared
  // Not empty: the graph is a later stage of a network, takes these and no picture (Engine::take), and
  // `input` and `constants` say nothing.
  std::vector<profiles::StageTensor> tensors = {};
  std::vector<profiles::ConstantInput> constants;
  std::vector<std::string> outputs;  // by name, in this order; empty: all, in the graph's
  // Above 0: the network is a classifier; its one output (the first named) has batch * classes logits.
  std::size_t classes = 0;
  ProcessorId processor;
  std::string provider =
      "cpu";  // execution provider of the processor; the three below are of an accelerator's
  int device = 0;
  bool graphs = true;
  bool block = false;
  // That compute one inference. Above 1 the library starts the others when it loads: they inherit the CPUs
  // and the niceness of the thread that loads.
  int threads = 1;
  bool optimised = true;  // false: the unoptimised graph, for comparison, if the library supports it
  // For the simulated backend and for reservations:
  const profiles::Variant* profile = nullptr;  // may be null; must outlive the load

  [[nodiscard]] bool takes_tensors() const { return !tensors.empty(); }
  // Numbers of the input of one region.
  [[nodiscard]] std::size_t input_size() const {
    return profiles::InputShape{input.width, input.height, channels}.size();
  }
  bool operator==(const EngineSpec&) const = default;
};

// The spec of a variant of a set, for the CPU.
[[nodiscard]] EngineSpec engine_spec(const profiles::ProfileSet& set, std::size_t variant, int batch);

// A network's outputs, in the order of EngineSpec::outputs. Owned by the engine; valid until its next call.
using Outputs = std::vector<vision::TensorView>;

class Engine {
 public:
  virtual ~Engine() = default;
  // Prepares the input of one place of the batch from a region of a picture.
  [[nodiscard]] virtual Status prepare(std::size_t place, const Picture& picture, const PixelBox& region) = 0;
  // Sets the input of all places from a tensor: NCHW in the order RGB, 0 to 1. Errors: size other than batch
  // * input_size().
  [[nodiscard]] virtual Status prepare(std::span<const float> planes) = 0;
  // The input of a later stage of a network: each of EngineSpec::tensors by its name; others are passed over.
  // Errors: one is missing, or has another type or number of elements; all at once.
  [[nodiscard]] virtual Status take(std::span<const vision::TensorView> tensors);
  // Runs on what was prepared or taken last.
  [[nodiscard]] virtual Status infer(Outputs& outputs) = 0;
  // From any thread: asks the inference in progress to return early with an error, if the library supports
  // that; later inferences may fail. For an engine that is being abandoned.
  virtual void stop() {}
  // The ports of infer()'s outputs, in that order, as far as known before the first one. Empty: no decodable
  // outputs, as for a simulated engine that is not a classifier.
  [[nodiscard]] virtual std::vector<vision::OutputPort> outputs() const = 0;
  [[nodiscard]] virtual int batch() const = 0;
  [[nodiscard]] virtual std::size_t classes() const = 0;  // 0: not a classifier
  // What the log is to say of how it was loaded; empty: nothing.
  [[nodiscard]] virtual std::string remark() const { return {}; }
};

// A classifier's batch * classes logits; empty for any other network.
[[nodiscard]] std::span<const float> logits_of(const Outputs& outputs);
// Prepares every place with a black picture, or zeros of a later stage's tensors, to warm an engine up.
[[nodiscard]] Status prepare_black(Engine& engine, const EngineSpec& spec);

class EngineBackend {
 public:
  virtual ~EngineBackend() = default;
  [[nodiscard]] virtual std::string name() const = 0;     // "onnxruntime", "opencv", "simulated"
  [[nodiscard]] virtual std::string version() const = 0;  // "onnxruntime 1.21.0"
  // Whether optimised graphs are cached between loads.
  [[nodiscard]] virtual bool keeps_graphs() const { return false; }
  // Loads without warm-up. The hash is checked before the library sees the file.
  [[nodiscard]] virtual Result<std::unique_ptr<Engine>> load(const EngineSpec& spec) const = 0;
};

// SHA-256 of a file as lower-case hex, or why it cannot be read.
[[nodiscard]] Result<std::string> sha256_of(const std::filesystem::path& file);

// name: "onnxruntime" | "opencv" | "simulated" | "auto" (the first available in this order).
// Optimised graphs are kept where `cache` says; without it none are kept and none are looked for.
// `library_folder`: where ONNX Runtime's library and its providers lie; empty: the default. The library is
// opened once: the first call decides, a later one that names another folder is an error. From the first call
// on, OpenCV uses no threads of its own in this process (resizing.hpp).
[[nodiscard]] Result<std::unique_ptr<EngineBackend>> make_backend(
    const std::string& name, const std::optional<GraphCacheOptions>& cache = std::nullopt,
    const std::string& library_folder = "");
// What this build and machine have, for messages: "onnxruntime 1.21.0, opencv 4.6.0, simulated".
[[nodiscard]] std::string available_backends();

}  // namespace saccade::runtime
