// The memory of a CUDA device that is in use, as CUDA's runtime reports it for the whole device. The most is
// that of samples every 2 ms, taken on a thread of its own.
// Never run on a card: see runtime/engines/providers.hpp.
// Errors: CUDA's runtime cannot be opened.
#pragma once

#include <memory>

#include "base/result.hpp"
#include "runtime/machine/device_memory.hpp"

namespace saccade::runtime {

[[nodiscard]] Result<std::unique_ptr<DeviceMemoryMeter>> cuda_memory_meter(int device);

}  // namespace saccade::runtime
