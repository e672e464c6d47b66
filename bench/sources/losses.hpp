// What the parts of `bench sources` share, and its part about cameras that are lost: with a source alone, and
// with the service. Units: seconds. Threads: one. Errors: what did not start.
#pragma once

#include <chrono>
#include <string>
#include <thread>

#include "bench/sources/measurement.hpp"
#include "runtime/sources/frame_source.hpp"

namespace saccade::bench {

inline constexpr std::chrono::milliseconds kTickPause(2);
inline constexpr const char* kRefusing = "rtsp://127.0.0.1:9/cam";  // nobody listens there

inline const runtime::NetworkInputs& bench_inputs() {
  static const auto all =
      runtime::inputs_of(profiles::InputShape{.width = 224, .height = 224, .channels = 3});
  return all;
}

inline double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

inline runtime::StreamSource stream_of(const std::string& url) {
  runtime::StreamSource source;
  source.url = url;
  return source;
}

// Ticks until `done` of whether there was a picture, and the frame; false: not within `patience`.
template <class Ended>
bool tick_until(runtime::FrameSource& source, Duration patience, const Ended& done) {
  const auto end = std::chrono::steady_clock::now() + patience;
  runtime::Frame frame;
  while (std::chrono::steady_clock::now() < end) {
    if (done(source.next(Duration(0), frame), frame)) return true;
    std::this_thread::sleep_for(kTickPause);
  }
  return false;
}
inline constexpr Duration kSourcePatience = std::chrono::seconds(30);

[[nodiscard]] Status measure_losses(const SourceSizes& sizes, SourceFigures& figures);
[[nodiscard]] Status measure_others(const SourceSizes& sizes, SourceFigures& figures);
[[nodiscard]] Status measure_many(const SourceSizes& sizes, SourceFigures& figures);

}  // namespace saccade::bench
