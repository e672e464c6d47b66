// How much of an accelerator's memory is in use, by whichever process.
// Order: watch(), then most(), repeatedly; used() at any time.
// Threads: one at a time. Errors: a figure that cannot be read is absent.
#pragma once

#include <optional>

#include "base/quantity.hpp"

namespace saccade::runtime {

class DeviceMemoryMeter {
 public:
  virtual ~DeviceMemoryMeter() = default;
  [[nodiscard]] virtual std::optional<Bytes> used() = 0;
  virtual void watch() = 0;                               // begins to look for the most
  [[nodiscard]] virtual std::optional<Bytes> most() = 0;  // since watch(), which ends with it
};

}  // namespace saccade::runtime
