// A network camera by FFmpeg's libraries: demultiplexed and decoded on the reader's own thread, with one
// decoder thread and without looking ahead, so that a picture is as young as its last packet. The codec is
// the one that the camera's description names; only a stream without one is probed. Every call ends when the
// stream has been silent for too long, measured on a clock that never steps, or when it is interrupted; the
// resolution of a host name alone cannot be ended. Pixels are made once, in the size that is asked for.
// Hardware decodes where it was asked for and can (hardware_decoder.hpp). Threads and errors: as LiveCapture.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "profiles/interface.hpp"
#include "runtime/run/run_config.hpp"
#include "runtime/sources/live_capture.hpp"

namespace saccade::runtime {

struct StreamSettings {
  StreamTransport transport = StreamTransport::automatic;
  StreamDecode decode = StreamDecode::all;
  StreamHardware hardware = StreamHardware::none;
  Seconds silence{5.0};  // the most that opening, and waiting for the next packet, may take
  std::function<cv::Size(cv::Size)> reduced;  // what a picture of that size is reduced to
  profiles::Filter filter = profiles::Filter::linear;
  // What may be opened on the way: a description may name further places, and a camera is no reason to read a
  // file of this machine.
  std::string protocols = "crypto,data,http,https,httpproxy,rtmp,rtmps,rtp,rtsp,rtsps,srt,srtp,tcp,tls,udp";
};

// `address`: complete, with user name and password; it is asked for at every open().
[[nodiscard]] std::shared_ptr<LiveCapture> stream_capture(std::function<Result<std::string>()> address,
                                                          StreamSettings settings);

}  // namespace saccade::runtime
