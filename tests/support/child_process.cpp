#include "tests/support/child_process.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <iostream>

#include "base/check.hpp"

namespace saccade::test {

ChildProcess::ChildProcess(const std::vector<std::string>& command, const std::string& out) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  int ends[2];
  SACCADE_CHECK(pipe2(ends, O_CLOEXEC) == 0);
  const int output = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  SACCADE_CHECK(output >= 0);
  id_ = fork();
  SACCADE_CHECK(id_ >= 0);
  if (id_ == 0) {
    dup2(output, STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  close(output);
  close(ends[1]);
  errors_ = ends[0];
}

ChildProcess::~ChildProcess() {
  if (id_ >= 0) {
    signal(SIGKILL);
    wait();
  }
  close(errors_);
}

std::optional<std::string> ChildProcess::line_with(const std::string& part) {
  for (;;) {
    std::optional<std::string> line = next_line();
    if (!line || line->find(part) != std::string::npos) return line;
  }
}

void ChildProcess::must_say(const std::string& part) {
  if (line_with(part)) return;
  std::cerr << "a program closed its standard error and had not said \"" << part << "\":\n"
            << said_ << std::flush;
  SACCADE_CHECK(false && "the program says what the test waits for");
}

std::optional<std::string> ChildProcess::next_line() {
  for (;;) {
    const std::size_t end = unread_.find('\n');
    if (end != std::string::npos) {
      std::string line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return line;
    }
    char bytes[4096];
    const ssize_t got = read(errors_, bytes, sizeof bytes);
    if (got <= 0) return std::nullopt;
    unread_.append(bytes, static_cast<std::size_t>(got));
    said_.append(bytes, static_cast<std::size_t>(got));
  }
}

void ChildProcess::signal(int number) const {
  SACCADE_CHECK(id_ > 0);
  kill(id_, number);
}

int ChildProcess::wait() {
  SACCADE_CHECK(id_ > 0);
  while (next_line()) continue;  // so that it never waits for us
  int status = 0;
  SACCADE_CHECK(waitpid(id_, &status, 0) == id_);
  id_ = -1;
  constexpr int kBySignal = 128;
  return WIFEXITED(status) ? WEXITSTATUS(status) : kBySignal + WTERMSIG(status);
}

}  // namespace saccade::test
