#include "runtime/sources/stream_trouble.hpp"

extern "C" {
#include <libavutil/error.h>
}

#include <array>
#include <cerrno>

namespace saccade::runtime {

StreamTrouble stream_trouble(int code, bool opening) {
  switch (code) {
    case AVERROR_HTTP_UNAUTHORIZED:
      return {"refuses the user name and password (401)",
              "check `username` and the password in `password_file`"};
    case AVERROR_HTTP_FORBIDDEN:
      return {"does not give this user the stream (403)", "check the user's rights in the camera"};
    case AVERROR_HTTP_NOT_FOUND:
      return {"has no stream at this path (404)", "the camera's manual names the path"};
    case AVERROR(ECONNREFUSED):
      return {"refuses the connection", "check that it is on, and its address and port"};
    case AVERROR(EHOSTUNREACH):
    case AVERROR(ENETUNREACH):
      return {"cannot be reached", "check that it is on, and its address"};
    case AVERROR_EOF:
      return {"ended the stream", "check that it is on"};
    case AVERROR(EIO):
      if (opening) return {"cannot be reached by that name", "check the name of the host"};
      return {"broke the connection", "check that it is on"};
    default:
      break;
  }
  std::array<char, AV_ERROR_MAX_STRING_SIZE> text{};
  av_strerror(code, text.data(), text.size());
  return {std::string("delivers nothing (") + text.data() + ")", "check its address"};
}

}  // namespace saccade::runtime
