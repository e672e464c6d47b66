// OpenCV's DNN module as an engine backend: slower than ONNX Runtime, but available in every distribution. It
// reads fp32 models of plain operators; fp16 storage and int8 (QDQ) models are refused. One network object
// per engine, never shared between threads (the library would corrupt its heap).
// Threads: as EngineBackend. Errors: exceptions of a load or an inference are returned as Errors. If a model
// leaves its batch open, the library discards the declared image size: another image size that the network
// can compute is not detected.
#pragma once

#include <memory>

#include "base/result.hpp"
#include "runtime/engines/engine.hpp"

namespace saccade::runtime {

[[nodiscard]] Result<std::unique_ptr<EngineBackend>> make_opencv_backend();

}  // namespace saccade::runtime
