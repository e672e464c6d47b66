// An engine: one loaded variant, ready to run one fixed batch. The backend is its factory, and there
// is one conformance suite (tests/conformance) that every backend passes.
// Threads: a backend may be called from any thread. An engine is used by one thread at a time; load,
// warm-up and destruction happen on a loader thread, infer() on the processor's worker.
// Errors: expected trouble (missing file, wrong hash, corrupt model, out of memory, an inference
// that throws inside the library) comes back as Errors; no vendor exception leaves the adapter.
#pragma once

#include <cstddef>
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
#include "runtime/graph_cache_options.hpp"

namespace saccade::runtime {

// What to load. Inputs are float32 NCHW, RGB, value / 255, batch * input.size() numbers; outputs are
// logits, batch * classes numbers.
struct EngineSpec {
  std::filesystem::path model;
  std::string sha256;  // lower-case hex; empty = not checked
  int batch = 1;
  profiles::InputShape input;
  std::size_t classes = 0;
  ProcessorId processor;
  std::string provider = "cpu";  // execution provider of the processor
  bool optimised = true;  // false: the graph as the file has it, to compare with, where the library can
  // For the simulated backend and for reservations:
  const profiles::Variant* profile = nullptr;  // may be null; outlives the load
};

class Engine {
 public:
  virtual ~Engine() = default;
  // input.size() == batch * input size, logits.size() == batch * classes (checked).
  [[nodiscard]] virtual Status infer(std::span<const float> input, std::span<float> logits) = 0;
  [[nodiscard]] virtual int batch() const = 0;
  [[nodiscard]] virtual std::size_t classes() const = 0;
};

class EngineBackend {
 public:
  virtual ~EngineBackend() = default;
  [[nodiscard]] virtual std::string name() const = 0;     // "onnxruntime", "opencv", "simulated"
  [[nodiscard]] virtual std::string version() const = 0;  // "onnxruntime 1.21.0"
  // Whether optimised graphs are kept between loads.
  [[nodiscard]] virtual bool keeps_graphs() const { return false; }
  // Loads; warms nothing. The hash is checked before the library sees the file.
  [[nodiscard]] virtual Result<std::unique_ptr<Engine>> load(const EngineSpec& spec) const = 0;
};

// SHA-256 of a file as lower-case hex, or why it cannot be read.
[[nodiscard]] Result<std::string> sha256_of(const std::filesystem::path& file);

// name: "onnxruntime" | "opencv" | "simulated" | "auto" (the first available in this order).
// Optimised graphs are kept where `cache` says; without it none are kept and none are looked for.
[[nodiscard]] Result<std::unique_ptr<EngineBackend>> make_backend(
    const std::string& name, const std::optional<GraphCacheOptions>& cache = std::nullopt);
// What this build and machine have, for messages: "onnxruntime 1.21.0, opencv 4.6.0, simulated".
[[nodiscard]] std::string available_backends();

}  // namespace saccade::runtime
