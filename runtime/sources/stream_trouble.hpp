// Describes errors of network cameras: FFmpeg's error codes as text, with what to do about each.
// Threads: functions without state. Errors: none.
#pragma once

#include <string>

namespace saccade::runtime {

struct StreamTrouble {
  std::string what;  // follows the camera's address
  std::string hint;
};

// `code`: as returned by libavformat and libavcodec, below 0. `opening`: there was no connection yet.
[[nodiscard]] StreamTrouble stream_trouble(int code, bool opening);

}  // namespace saccade::runtime
