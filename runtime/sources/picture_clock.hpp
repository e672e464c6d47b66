// When a stream's picture was taken. FFmpeg hands a picture of RTSP on when the next one begins, since only
// that tells it where the picture ends: what it says of the camera's clock is then of the next picture, and
// so is the arrival. Whether that is so shows once the camera has told its clock (RTCP, every few seconds):
// the picture's place in the stream and the clock that came with it are apart by the pause between two
// pictures, or not at all. Until then the arrival is the time. Threads: plain value, of the reader.
#pragma once

#include <chrono>
#include <optional>

#include "runtime/sources/capture_time.hpp"

namespace saccade::runtime {

class PictureClock {
 public:
  using Wall = std::chrono::nanoseconds;  // since 1970, UTC

  // A picture was handed on at `arrived`, with the camera's clock `told`, while its place in the stream is
  // `placed` by the clock that the camera told first. Returns when it was taken.
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
  std::optional<bool> late_;  // pictures are handed on when the next one begins
  std::optional<Wall> last_told_;
  std::optional<CaptureTime> last_arrived_;
};

}  // namespace saccade::runtime
