#include "runtime/sources/capture_time.hpp"

namespace saccade::runtime {

CaptureTime captured_now() {
  const auto since_epoch = [](auto now) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(now.time_since_epoch());
  };
  return {since_epoch(std::chrono::steady_clock::now()), since_epoch(std::chrono::system_clock::now()),
          false};
}

CaptureTime told_by_camera(CaptureTime arrived, std::chrono::nanoseconds wall) {
  constexpr std::chrono::nanoseconds kOldest = std::chrono::seconds(10);
  constexpr std::chrono::nanoseconds kAhead = std::chrono::seconds(1);
  const std::chrono::nanoseconds age = arrived.wall - wall;
  if (age > kOldest || age < -kAhead) return arrived;
  return {arrived.monotonic, wall, true};
}

}  // namespace saccade::runtime
