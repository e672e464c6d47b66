// An engine of ONNX Runtime: a session whose ports are those of a spec, with the memory that its inputs and
// outputs keep from one inference to the next.
// Threads: a function without state; the engine as runtime/engines/engine.hpp says. Errors: ports that are
// not those of the spec, all at once.
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
