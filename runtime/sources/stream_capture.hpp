// A network camera by FFmpeg's libraries: demultiplexed and decoded on the reader's own thread, with one
// decoder thread and without look-ahead, so that a picture is no older than its last packet. The codec is the
// one named by the camera's description; only a stream without one is probed. Every call ends if the stream
// has been silent for too long, measured on a monotonic clock, or if it is interrupted; only the resolution
// of a host name cannot be interrupted. Pixels are converted once, in the requested size. Hardware decodes if
// it was requested and can (hardware_decoder.hpp); if it fails, software does from the next key frame on,
// without a new connection. Threads and errors: as LiveCapture.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "profiles/interface.hpp"
#include "runtime/run/run_config.hpp"
#include "runtime/sources/hardware_decoder.hpp"
#include "runtime/sources/live_capture.hpp"

namespace saccade::runtime {

struct StreamSettings {
  StreamTransport transport = StreamTransport::automatic;
  StreamDecode decode = StreamDecode::all;
  StreamHardware hardware = StreamHardware::none;
  HardwareAccess access = hardware_access();
  Seconds silence{5.0};                       // time limit of opening, and of waiting for the next packet
  std::function<cv::Size(cv::Size)> reduced;  // the size to which a picture of that size is reduced
  profiles::Filter filter = profiles::Filter::linear;
  // Protocols allowed for nested addresses: a description may name further places, and a camera must not
  // cause a local file to be read.
  std::string protocols = "crypto,data,http,https,httpproxy,rtmp,rtmps,rtp,rtsp,rtsps,srt,srtp,tcp,tls,udp";
};

// `address`: complete, with user name and password; called at every open().
[[nodiscard]] std::shared_ptr<LiveCapture> stream_capture(std::function<Result<std::string>()> address,
                                                          StreamSettings settings);

}  // namespace saccade::runtime
