// ONNX Runtime as an engine backend, through its C API, loaded with dlopen when it is first asked for
// and kept until the process ends: unloading it crashes. One session per engine, one thread per
// session, no memory arena (an engine takes a third less at the same speed).
// Threads: as EngineBackend. Errors: the library is missing, does not speak the API this was built
// with, or lacks the execution provider that a processor names ("cpu", "cuda"); what a load or an
// inference says.
#pragma once

#include <memory>

#include "base/result.hpp"
#include "runtime/engine.hpp"

namespace saccade::runtime {

[[nodiscard]] Result<std::unique_ptr<EngineBackend>> make_onnxruntime_backend();

}  // namespace saccade::runtime
