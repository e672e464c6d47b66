// What is wrong with a network camera, in words: FFmpeg's error codes, and what to do about each.
// Threads: functions without state. Errors: none.
#pragma once

#include <string>

namespace saccade::runtime {

struct StreamTrouble {
  std::string what;  // follows the camera's address
  std::string hint;
};

// `code`: as libavformat and libavcodec return it, below 0. `opening`: there was no connection yet.
[[nodiscard]] StreamTrouble stream_trouble(int code, bool opening);

}  // namespace saccade::runtime
