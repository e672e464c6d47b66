// ONNX Runtime as an engine backend, through its C API, loaded with dlopen when it is first asked for
// and kept until the process ends: unloading it crashes. One session per engine, one thread per
// session. With a cache a model is optimised once and its optimised graph loaded from then on; results
// are the same. Only graphs for the CPU are kept.
// Threads: as EngineBackend. Errors: the library is missing, does not speak the API this was built
// with, or a processor names an execution provider other than "cpu"; what a load or an
// inference says.
#pragma once

#include <memory>

#include "base/result.hpp"
#include "runtime/engines/engine.hpp"
#include "runtime/engines/graph_cache.hpp"

namespace saccade::runtime {

[[nodiscard]] Result<std::unique_ptr<EngineBackend>> make_onnxruntime_backend(
    std::shared_ptr<const GraphCache> cache);

}  // namespace saccade::runtime
