// A network camera as a process of its own: the RTSP server of tests/support/rtsp_camera.py, one encoder
// however many watch, or none. Order: start(); then signal() as wanted; the destructor kills. Threads: one.
// Errors: what is missing.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "base/result.hpp"

namespace saccade::bench {

struct CameraPictures {
  int rate = 5;
  int width = 640;
  int height = 360;
  bool recorded = false;  // encoded before the start: serving costs next to nothing
  bool password = false;  // whoever names no user is refused (401)
};

class CameraProcess {
 public:
  // `port` 0: one that is free. Returns once it can be reached.
  [[nodiscard]] static Result<std::unique_ptr<CameraProcess>> start(const CameraPictures& pictures,
                                                                    const std::string& port = "0");
  ~CameraProcess();
  CameraProcess(const CameraProcess&) = delete;
  CameraProcess& operator=(const CameraProcess&) = delete;

  [[nodiscard]] const std::string& port() const { return port_; }
  [[nodiscard]] std::string url() const { return "rtsp://127.0.0.1:" + port_ + "/cam"; }
  void signal(int number) const;

 private:
  CameraProcess(pid_t id, int errors) : id_(id), errors_(errors) {}

  pid_t id_;
  int errors_;  // open for as long as it may write there
  std::string port_;
};

}  // namespace saccade::bench
