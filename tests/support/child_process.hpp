// A program as a child whose standard error is read line by line: tests wait for what it says, not for
// time. Killed when it goes out of scope.
// Threads: one.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace saccade::test {

class ChildProcess {
 public:
  // Standard output goes to the file `out`.
  ChildProcess(const std::vector<std::string>& command, const std::string& out);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Waits for a line with `part` in it; absent: the program closed its standard error before.
  [[nodiscard]] std::optional<std::string> line_with(const std::string& part);
  // The same of a program that the test cannot do without: if it ends first, so does the test, with what the
  // program said.
  void must_say(const std::string& part);
  void signal(int number) const;
  // Waits for the end: the exit code, or 128 + the signal that ended it.
  int wait();
  [[nodiscard]] const std::string& said() const { return said_; }

 private:
  [[nodiscard]] std::optional<std::string> next_line();

  pid_t id_ = -1;
  int errors_ = -1;
  std::string said_;    // all of it
  std::string unread_;  // what next_line() has not given yet
};

}  // namespace saccade::test
