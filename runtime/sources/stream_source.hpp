// A network camera as a source: its address with user name and password, which are combined here and never
// disclosed, read as a live source (live_source.hpp). The password file is read at every connection, so that
// a new password needs no new configuration.
// Threads: as FrameSource. Errors: as open_live(), in terms of the camera.
#pragma once

#include <memory>
#include <string>

#include "runtime/sources/frame_source.hpp"

namespace saccade::runtime {

// Whether what is at this address is a camera whatever it says of itself. An address of HTTP may be a file's.
[[nodiscard]] bool is_always_live(const std::string& address);
// Whether a camera may have this address: those, and HTTP's.
[[nodiscard]] bool is_stream_address(const std::string& address);

// The address with user name and password. Errors: the password file cannot be read, is empty or too long.
[[nodiscard]] Result<std::string> full_address(const StreamSource& source);

[[nodiscard]] Result<std::unique_ptr<FrameSource>> open_stream(const StreamSource& source,
                                                               const Regions& regions,
                                                               const NetworkInputs& inputs);

}  // namespace saccade::runtime
