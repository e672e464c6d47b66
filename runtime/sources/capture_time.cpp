#include "runtime/sources/capture_time.hpp"

namespace saccade::runtime {

CaptureTime captured_now() {
  const auto since_epoch = [](auto now) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(now.time_since_epoch());
  };
  return {since_epoch(std::chrono::steady_clock::now()), since_epoch(std::chrono::system_clock::now())};
}

}  // namespace saccade::runtime
