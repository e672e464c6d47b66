// Network cameras for tests: an RTSP server of its own process (rtsp_camera.py), a port that accepts
// connections and says nothing, and how a test waits for a source. What is waited for is an event, within a
// deadline that is far beyond what it takes. Threads: one.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "base/check.hpp"
#include "bench/sources/silent_port.hpp"
#include "runtime/sources/stream_source.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/free_port.hpp"

namespace saccade::test {

inline constexpr auto kCameraDeadline = std::chrono::seconds(60);

struct CameraPictures {
  int rate = 15;
  int width = 320;
  int height = 180;
};

// The camera: a process that serves one stream.
class RtspCamera {
 public:
  explicit RtspCamera(const CameraPictures& pictures, const std::string& port = std::to_string(free_port()),
                      const std::vector<std::string>& user_and_password = {},
                      const std::vector<std::string>& options = {})
      : process_(command(pictures, port, user_and_password, options), "/dev/null") {
    const std::string line = process_.line_with("port ").value_or("");
    EXPECT_FALSE(line.empty()) << "the RTSP server does not start (scripts/setup --test): "
                               << process_.said();
    const std::size_t begin = line.find("port ") + 5;
    if (!line.empty()) port_ = line.substr(begin, line.find('.', begin) - begin);
  }
  [[nodiscard]] const std::string& port() const { return port_; }
  [[nodiscard]] std::string url() const { return "rtsp://127.0.0.1:" + port_ + "/cam"; }
  void signal(int number) { process_.signal(number); }
  // Waits for a line with `part` in it, of those that `--tell-ends` asks for.
  [[nodiscard]] std::string line_with(const std::string& part) {
    return process_.line_with(part).value_or("");
  }
  void kill() {
    process_.signal(SIGKILL);
    process_.wait();
  }

 private:
  static std::vector<std::string> command(const CameraPictures& pictures, const std::string& port,
                                          const std::vector<std::string>& user_and_password,
                                          const std::vector<std::string>& options) {
    std::vector<std::string> words = {"/usr/bin/python3",
                                      std::string(SACCADE_SOURCE_DIR) + "/tests/support/rtsp_camera.py"};
    words.insert(words.end(), options.begin(), options.end());
    for (const int number : {pictures.rate, pictures.width, pictures.height})
      words.push_back(std::to_string(number));
    words.push_back(port);
    words.insert(words.end(), user_and_password.begin(), user_and_password.end());
    return words;
  }
  ChildProcess process_;
  std::string port_;
};

// Accepts connections and says nothing.
class BlackHole : private bench::SilentPort {
 public:
  // `port` 0: one that is free.
  explicit BlackHole(int port = 0) : SilentPort(port) { SACCADE_CHECK(listens()); }
  using SilentPort::url;
  [[nodiscard]] bool wait_for_client() const { return SilentPort::wait_for_client(kCameraDeadline); }
};

inline runtime::StreamSource stream_at(const std::string& url) {
  runtime::StreamSource source;
  source.url = url;
  return source;
}

// What a tick does, until `ended` is true of whether it got a picture; false: not before the deadline.
template <class Ended>
bool tick_until(runtime::FrameSource& source, runtime::Frame& frame, const Ended& ended) {
  const auto end = std::chrono::steady_clock::now() + kCameraDeadline;
  while (std::chrono::steady_clock::now() < end) {
    if (ended(source.next(Duration(0), frame))) return true;
    std::this_thread::yield();
  }
  return false;
}

inline bool brings_picture(runtime::FrameSource& source, runtime::Frame& frame) {
  return tick_until(source, frame, [](bool got) { return got; });
}

// Until the source is in a trouble with `part` in its text, which is returned.
inline std::string trouble_of(runtime::FrameSource& source, const std::string& part = "") {
  runtime::Frame frame;
  std::string fault;
  const auto has_part = [&](bool) {
    fault = source.fault().value_or("");
    return !fault.empty() && fault.find(part) != std::string::npos;
  };
  return tick_until(source, frame, has_part) ? fault : std::string();
}

}  // namespace saccade::test
