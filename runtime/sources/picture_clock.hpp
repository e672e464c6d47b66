// When a stream's picture was taken. FFmpeg delivers an RTSP picture when the next one begins, because only
// that marks its end: the camera's clock and the arrival reported with it are then those of the next picture.
// Whether that is the case can be determined once the camera has reported its clock (RTCP, every few
// seconds): the picture's position in the stream and the reported clock then differ by the interval between
// two pictures, or not at all. Until then the arrival is used.
//
// A camera's clock may be set while it is connected, and FFmpeg's report is wrong from a wrap of the stream's
// 32-bit time stamps until the camera reports its clock again: the reported clock then jumps, by itself and
// back. A jump is recognised by both the position in the stream and the arrival, neither of which follows it;
// positions are moved by it, and differences that fit neither case decide nothing.
// Threads: plain value, of the reader.
#pragma once

#include <algorithm>
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
    if (!late_ && told && placed && last_) decide(arrived, *told, *placed);
    const bool late = late_.value_or(false);
    const std::optional<Wall> camera = late ? last_told_ : told;
    CaptureTime time = late && last_arrived_ ? *last_arrived_ : arrived;
    if (camera) time = told_by_camera(time, *camera);
    last_told_ = told;
    last_arrived_ = arrived;
    if (told && placed) last_ = Pair{*told, *placed};
    if (!told || !placed) last_.reset();
    return time;
  }

 private:
  struct Pair {
    Wall told;
    Wall placed;
  };

  // With the pair of the last picture, which `last_` holds.
  void decide(CaptureTime arrived, Wall told, Wall placed) {
    constexpr Wall kJitter = std::chrono::milliseconds(50);
    const Wall interval = told - last_->told;
    const Wall in_stream = placed - last_->placed;
    const Wall by_stream = interval - in_stream;
    const Wall by_arrival = interval - (arrived.monotonic - last_arrived_->monotonic);
    if (std::min(std::chrono::abs(by_stream), std::chrono::abs(by_arrival)) >
        std::max(kJitter, in_stream / 2)) {
      jumped_ += by_stream;
      return;
    }
    if (interval <= Wall(0)) return;
    for (const Wall difference : {told - placed - jumped_, told - placed}) {
      if (difference <= -interval / 2 || difference >= interval + interval / 2) continue;
      late_ = difference > interval / 2;
      return;
    }
  }

  std::optional<bool> late_;       // pictures are delivered when the next one begins
  std::optional<Pair> last_;       // of the last picture, if it had both
  Wall jumped_{0};                 // the reported clock, since it was first reported
  std::optional<Wall> last_told_;  // of the last picture
  std::optional<CaptureTime> last_arrived_;
};

}  // namespace saccade::runtime
