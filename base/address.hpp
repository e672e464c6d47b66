// Addresses of cameras and streams for display: user and password, and everything in a query or as KEY=VALUE
// in the path, are replaced by "***".
//   rtsp://user:secret@camera:554/stream      rtsp://***@camera:554/stream
//   http://camera/stream?token=secret&size=2  http://camera/stream?***
//   rtsp://camera/user=me&password=secret     rtsp://camera/user=***
// Text that is not an address is unchanged, except for the signs of a misspelt one: a colon before an `@`, a
// query.
// Threads: function without state.
#pragma once

#include <string>
#include <string_view>

namespace saccade {

[[nodiscard]] std::string without_secrets(std::string_view address);

}  // namespace saccade
