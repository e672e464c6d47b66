// Addresses of cameras and streams as they may be shown: user and password, and whatever follows in a query
// or as KEY=VALUE in the path, are "***".
//   rtsp://user:secret@camera:554/stream      rtsp://***@camera:554/stream
//   http://camera/stream?token=secret&size=2  http://camera/stream?***
//   rtsp://camera/user=me&password=secret     rtsp://camera/user=***
// What is no address is left as it is, but for the marks of a misspelt one: a colon before an `@`, a query.
// Threads: function without state.
#pragma once

#include <string>
#include <string_view>

namespace saccade {

[[nodiscard]] std::string without_secrets(std::string_view address);

}  // namespace saccade
