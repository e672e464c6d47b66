// An ONNX Runtime engine: a session whose ports match a spec, with the memory that its inputs and outputs
// reuse from one inference to the next.
// Threads: a function without state; the engine as in runtime/engines/engine.hpp. Errors: ports that do not
// match the spec, all at once.
#pragma once

#ifdef SACCADE_WITH_ONNXRUNTIME
#include <memory>

#include "base/result.hpp"
#include "runtime/engines/engine.hpp"
#include "runtime/engines/onnxruntime_cuda.hpp"
#include "runtime/engines/onnxruntime_library.hpp"

namespace saccade::runtime::onnxruntime {

// `library` outlives the engine. `stream`: of a session on an accelerator, whose engine keeps it; with
// EngineSpec::graphs its inputs and outputs are bound in the device's memory.
[[nodiscard]] Result<std::unique_ptr<Engine>> make_engine(const Library& library, Handle<OrtSession> session,
                                                          const EngineSpec& spec, DeviceStream stream = {});

}  // namespace saccade::runtime::onnxruntime
#endif
