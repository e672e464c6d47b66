// ONNX Runtime as an engine backend, through its C API, loaded with dlopen when it is first asked for
// and kept until the process ends: unloading it crashes. One session per engine, one thread per
// session. With a cache a model is optimised once and its optimised graph loaded from then on; results
// are the same. Only graphs for the CPU are kept.
// On the execution provider "cuda" an engine owns a thread (owned_engine.hpp), and nothing falls back to the
// CPU (onnxruntime_cuda.hpp).
// Threads: as EngineBackend. Errors: the library is missing, does not speak the API this was built
// with, or a processor names another execution provider; what a load or an inference says.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "runtime/engines/engine.hpp"
#include "runtime/engines/graph_cache.hpp"

namespace saccade::runtime {

// `library_folder`: as make_backend().
[[nodiscard]] Result<std::unique_ptr<EngineBackend>> make_onnxruntime_backend(
    std::shared_ptr<const GraphCache> cache, const std::string& library_folder = "");

struct OnnxRuntimePlace {
  std::filesystem::path folder;
  std::string version;
};
// Of the library; absent: it cannot be loaded, or this was built without it. Loads it.
[[nodiscard]] std::optional<OnnxRuntimePlace> onnxruntime_place(const std::string& library_folder);

}  // namespace saccade::runtime
