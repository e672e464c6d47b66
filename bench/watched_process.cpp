#include "bench/watched_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <system_error>
#include <utility>

namespace saccade::bench {
namespace {

constexpr int kToBegin = 60'000;  // ms without a word

bool read_some(int descriptor, std::string& text) {
  std::array<char, 4096> bytes;
  const ssize_t count = read(descriptor, bytes.data(), bytes.size());
  if (count > 0) text.append(bytes.data(), static_cast<std::size_t>(count));
  return count > 0;
}

[[noreturn]] void become(const std::vector<char*>& arguments, int out, int errors) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(out, STDOUT_FILENO);
  dup2(errors, STDERR_FILENO);
  execv(arguments.front(), arguments.data());
  _exit(127);
}

}  // namespace

std::string own_saccade() {
  std::error_code failure;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", failure);
  return (self.parent_path() / "saccade").string();
}

Result<std::unique_ptr<WatchedProcess>> WatchedProcess::start(const std::vector<std::string>& command) {
  const std::string& program = command.front();
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  std::array<int, 2> out{};
  std::array<int, 2> errors{};
  if (pipe2(out.data(), O_CLOEXEC) != 0 || pipe2(errors.data(), O_CLOEXEC) != 0) {
    return Error{program, "no pipe to it can be made", ""};
  }
  const pid_t id = fork();
  if (id == 0) become(arguments, out[1], errors[1]);
  close(out[1]);
  close(errors[1]);
  if (id < 0) return Error{program, "cannot be started", ""};
  return std::unique_ptr<WatchedProcess>(new WatchedProcess(program, id, out[0], errors[0]));
}

WatchedProcess::~WatchedProcess() {
  if (id_ > 0) {
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
  }
  if (out_reader_.joinable()) out_reader_.join();
  if (errors_reader_.joinable()) errors_reader_.join();
  close(out_);
  close(errors_);
}

std::optional<std::string> WatchedProcess::line_with(std::string_view part) {
  for (std::size_t begin = 0;;) {
    const std::size_t end = said_.find('\n', begin);
    if (end == std::string::npos) {
      pollfd wait{errors_, POLLIN, 0};
      if (poll(&wait, 1, kToBegin) != 1 || !read_some(errors_, said_)) return std::nullopt;
      continue;
    }
    std::string line = said_.substr(begin, end - begin);
    if (line.find(part) != std::string::npos) return line;
    begin = end + 1;
  }
}

void WatchedProcess::read_on() {
  out_reader_ = std::thread([this] {
    while (read_some(out_, written_)) {
    }
  });
  errors_reader_ = std::thread([this] {
    constexpr std::size_t kKept = 4096;  // of the log, for an error
    while (read_some(errors_, said_)) {
      if (said_.size() > 2 * kKept) said_.erase(0, said_.size() - kKept);
    }
  });
}

bool WatchedProcess::runs() const {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0;
}

Result<std::string> WatchedProcess::stop() {
  kill(id_, SIGTERM);
  int status = 0;
  waitpid(std::exchange(id_, -1), &status, 0);
  out_reader_.join();
  errors_reader_.join();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return Error{program_, "did not end in good order (wait status " + std::to_string(status) + "): " + said_,
                 ""};
  }
  return std::move(written_);
}

}  // namespace saccade::bench
