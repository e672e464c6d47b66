// The interface through which a live source reads a camera: a V4L2 device or a stream by OpenCV
// (capture.hpp), a network camera by FFmpeg's libraries (stream_capture.hpp).
// Call order: open(); then grab() and retrieve() until one fails; then release() and open() again.
// Threads: one, the reader; interrupt() from any. Errors: false, and trouble() gives the reason if known.
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
  // Waits for the next picture; `arrived`: its time of arrival.
  [[nodiscard]] virtual bool grab(CaptureTime& arrived) = 0;
  // The grabbed picture, 8-bit BGR, in full size or reduced as requested; `of`: its original size.
  [[nodiscard]] virtual bool retrieve(cv::Mat& picture, cv::Size& of) = 0;
  // Ends a waiting call, and every later one, as far as possible.
  virtual void interrupt() {}
  // The interval at which pictures are taken, if known: the others need not be decoded.
  virtual void taken_every(Duration /*interval*/) {}
  // The failure, in a few words without secrets; empty: unknown.
  [[nodiscard]] virtual std::string trouble() const { return {}; }
  // Hint for the failure.
  [[nodiscard]] virtual std::string hint() const { return "check that no other program uses it"; }
  // What differs from the request although pictures arrive, in a few words; empty: nothing.
  [[nodiscard]] virtual std::string notice() const { return {}; }
  // Number of pictures since the start that were skipped without a grab.
  [[nodiscard]] virtual std::uint64_t passed_over() const { return 0; }
};

}  // namespace saccade::runtime
