// ONNX Runtime as an engine backend, through its C API, loaded with dlopen on first use and kept until the
// process ends, because unloading it crashes. One session per engine, one thread per session. With a cache a
// model is optimised once and its optimised graph is loaded from then on; results are the same. Only graphs
// for the CPU are cached.
// Threads: as EngineBackend. Errors: the library is missing or has another API version than this build, or a
// processor names an execution provider other than "cpu"; errors of a load or an inference.
#pragma once

#include <memory>

#include "base/result.hpp"
#include "runtime/engines/engine.hpp"
#include "runtime/engines/graph_cache.hpp"

namespace saccade::runtime {

[[nodiscard]] Result<std::unique_ptr<EngineBackend>> make_onnxruntime_backend(
    std::shared_ptr<const GraphCache> cache);

}  // namespace saccade::runtime
