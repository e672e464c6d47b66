#include "bench/sources/camera_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <vector>

namespace saccade::bench {
namespace {

constexpr int kToBegin = 30'000;  // ms without a word

// What the camera says until it names its port; empty: it never does.
std::string port_said(int errors) {
  std::string said;
  pollfd wait{errors, POLLIN, 0};
  while (poll(&wait, 1, kToBegin) == 1) {
    std::array<char, 256> bytes;
    const ssize_t count = read(errors, bytes.data(), bytes.size());
    if (count <= 0) return {};
    said.append(bytes.data(), static_cast<std::size_t>(count));
    const std::size_t begin = said.find("port ");
    const std::size_t end = begin == std::string::npos ? begin : said.find('.', begin);
    if (end != std::string::npos) return said.substr(begin + 5, end - begin - 5);
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<CameraProcess>> CameraProcess::start(const CameraPictures& pictures,
                                                            const std::string& port) {
  const std::string script = std::string(SACCADE_SOURCE_DIR) + "/tests/support/rtsp_camera.py";
  const std::string rate = std::to_string(pictures.rate);
  const std::string width = std::to_string(pictures.width);
  const std::string height = std::to_string(pictures.height);
  std::vector<const char*> arguments = {"python3", script.c_str()};
  if (pictures.recorded) arguments.push_back("--recorded");
  for (const std::string* word : {&rate, &width, &height, &port}) arguments.push_back(word->c_str());
  if (pictures.password) arguments.insert(arguments.end(), {"viewer", "secret"});
  arguments.push_back(nullptr);
  std::array<int, 2> errors{};
  if (pipe2(errors.data(), O_CLOEXEC) != 0) return Error{script, "no pipe to it can be made", ""};
  const pid_t id = fork();
  if (id == 0) {
    dup2(errors[1], STDERR_FILENO);
    execv("/usr/bin/python3", const_cast<char* const*>(arguments.data()));
    _exit(127);
  }
  close(errors[1]);
  std::unique_ptr<CameraProcess> camera(new CameraProcess(id, errors[0]));
  camera->port_ = id < 0 ? "" : port_said(errors[0]);
  if (camera->port_.empty()) return Error{script, "the camera does not start", "scripts/setup --test"};
  return camera;
}

CameraProcess::~CameraProcess() {
  if (id_ > 0) {
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
  }
  close(errors_);
}

void CameraProcess::signal(int number) const { kill(id_, number); }

}  // namespace saccade::bench
