// When a stream's picture was taken. FFmpeg delivers an RTSP picture when the next one begins, because only
// that marks its end: the camera's clock and the arrival reported with it are then those of the next picture.
// Whether that is the case can be determined once the camera has reported its clock (RTCP, every few
// seconds): the picture's position in the stream and the reported clock then differ by the interval between
// two pictures, or not at all. Until then the arrival is used. Threads: plain value, of the reader.
#pragma once

#include <chrono>
#include <optional>

#include "runtime/sources/capture_time.hpp"

namespace saccade::runtime {

class PictureClock {
 public:
  using Wall = std::chrono::nanoseconds;  // since 1970, UTC

  // A picture was delivered at `arrived`, with the camera's clock `told`; its position in the stream is
  // `placed` by the clock that the camera reported first. Returns when it was taken.
  CaptureTime picture(CaptureTime arrived, std::optional<Wall> told, std::optional<Wall> placed) {
    if (!late_ && told && placed && last_told_) late_ = *told - *placed > (*told - *last_told_) / 2;
    const bool late = late_.value_or(false);
    const std::optional<Wall> camera = late ? last_told_ : told;
    CaptureTime time = late && last_arrived_ ? *last_arrived_ : arrived;
    if (camera) time = told_by_camera(time, *camera);
    last_told_ = told;
    last_arrived_ = arrived;
    return time;
  }

 private:
  std::optional<bool> late_;  // pictures are delivered when the next one begins
  std::optional<Wall> last_told_;
  std::optional<CaptureTime> last_arrived_;
};

}  // namespace saccade::runtime
