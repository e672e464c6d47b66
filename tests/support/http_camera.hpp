// A network camera over HTTP for tests: a process of its own (http_camera.py). Threads: one.
#pragma once

#include <gtest/gtest.h>

#include <csignal>
#include <string>

#include "tests/support/child_process.hpp"

namespace saccade::test {

class HttpCamera {
 public:
  HttpCamera(const std::string& then, const std::string& file)
      : process_({"/usr/bin/python3", std::string(SACCADE_SOURCE_DIR) + "/tests/support/http_camera.py", then,
                  file},
                 "/dev/null") {
    const std::string line = process_.line_with("port ").value_or("");
    EXPECT_FALSE(line.empty()) << process_.said();
    const std::size_t begin = line.find("port ") + 5;
    if (!line.empty()) port_ = line.substr(begin, line.find('.', begin) - begin);
  }
  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + port_ + "/video"; }
  void kill() {
    process_.signal(SIGKILL);
    process_.wait();
  }

 private:
  ChildProcess process_;
  std::string port_;
};

}  // namespace saccade::test
