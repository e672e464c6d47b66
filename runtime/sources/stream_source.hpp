// A network camera as a source: its address with user name and password, which are put together here and are
// told nobody, read as a live source (live_source.hpp). The password's file is read at every opening, so that
// a new password needs no new configuration.
// Threads: as FrameSource. Errors: as open_live(), in words of the camera.
#pragma once

#include <memory>
#include <string>

#include "runtime/sources/frame_source.hpp"

namespace saccade::runtime {

[[nodiscard]] bool is_rtsp(const std::string& address);

// The address with user name and password. Errors: the password's file cannot be read, is empty or too long.
[[nodiscard]] Result<std::string> full_address(const StreamSource& source);

[[nodiscard]] Result<std::unique_ptr<FrameSource>> open_stream(const StreamSource& source,
                                                               const Regions& regions,
                                                               const NetworkInputs& inputs);

}  // namespace saccade::runtime
