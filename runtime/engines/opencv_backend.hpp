// OpenCV's DNN module as an engine backend: slower than ONNX Runtime, but every distribution has it.
// It reads fp32 models of plain operators; fp16 storage and int8 (QDQ) models are refused. One network
// object per engine, never shared between threads (the library corrupts its heap otherwise).
// Making the backend turns OpenCV's own thread pool off for the process, once: an inference stays on
// its worker's core, and capture threads convert their images on their own.
// Threads: as EngineBackend. Errors: what a load or an inference throws comes back as Errors. Where a
// model leaves its batch open, the library keeps nothing of the declared image size: an image size
// that the network can compute is not noticed.
#pragma once

#include <memory>

#include "base/result.hpp"
#include "runtime/engines/engine.hpp"

namespace saccade::runtime {

[[nodiscard]] Result<std::unique_ptr<EngineBackend>> make_opencv_backend();

}  // namespace saccade::runtime
