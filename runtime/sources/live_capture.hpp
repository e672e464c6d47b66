// What a live source reads a camera through: a V4L2 device or a stream by OpenCV (capture.hpp), a network
// camera by FFmpeg's libraries (stream_capture.hpp).
// Call order: open(); then grab() and retrieve() until one fails; then release() and open() again.
// Threads: one, the reader; interrupt() from any. Errors: false, and trouble() says why as far as it is
// known.
#pragma once

#include <cstdint>
#include <opencv2/core/mat.hpp>
#include <string>

#include "base/clock.hpp"
#include "runtime/sources/capture_time.hpp"

namespace saccade::runtime {

class LiveCapture {
 public:
  virtual ~LiveCapture() = default;
  [[nodiscard]] virtual bool open() = 0;
  virtual void release() = 0;
  // Waits for the next picture; `arrived`: when it came.
  [[nodiscard]] virtual bool grab(CaptureTime& arrived) = 0;
  // The picture that was grabbed, 8-bit BGR, as large as it is or reduced to what is asked for; `of`: how
  // large it was.
  [[nodiscard]] virtual bool retrieve(cv::Mat& picture, cv::Size& of) = 0;
  // Ends a call that waits, and every later one, as far as that is possible.
  virtual void interrupt() {}
  // How often a picture is taken, as far as it is known: what is not needed for that need not be decoded.
  virtual void taken_every(Duration /*interval*/) {}
  // What failed, in a few words without secrets; empty: not known.
  [[nodiscard]] virtual std::string trouble() const { return {}; }
  // What to do about it.
  [[nodiscard]] virtual std::string hint() const { return "check that no other program uses it"; }
  // What is not as it was asked for although pictures come, in a few words; empty: nothing.
  [[nodiscard]] virtual std::string notice() const { return {}; }
  // Pictures since the start that were passed over without a grab.
  [[nodiscard]] virtual std::uint64_t passed_over() const { return 0; }
};

}  // namespace saccade::runtime
