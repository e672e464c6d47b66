// A program in a process of its own whose log, on standard error, says what has become of it: a service, a
// planner, a store. It ends with its object. Order: start(); line_with() as often as there is something to
// wait for; read_on(), after which nobody waits any more; stop() once, or the destructor kills. Threads:
// const members any; the one that starts it outlives it. Errors: Result, with what the program said.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/result.hpp"

namespace saccade::bench {

// `saccade` beside this program.
[[nodiscard]] std::string own_saccade();

class WatchedProcess {
 public:
  // The program's path, then its arguments.
  [[nodiscard]] static Result<std::unique_ptr<WatchedProcess>> start(const std::vector<std::string>& command);
  ~WatchedProcess();
  WatchedProcess(const WatchedProcess&) = delete;
  WatchedProcess& operator=(const WatchedProcess&) = delete;

  // Waits for a line of the log, the first that has `part`; absent: it ended without, or is silent.
  [[nodiscard]] std::optional<std::string> line_with(std::string_view part);
  void read_on();  // so that no pipe fills up

  [[nodiscard]] pid_t id() const { return id_; }
  [[nodiscard]] const std::string& said() const { return said_; }  // its log; not after read_on()
  [[nodiscard]] bool runs() const;

  // By SIGTERM: what it wrote on standard output. An error when it had ended before, or not in good order.
  [[nodiscard]] Result<std::string> stop();

 private:
  WatchedProcess(std::string program, pid_t id, int out, int errors)
      : program_(std::move(program)), id_(id), out_(out), errors_(errors) {}

  std::string program_;
  pid_t id_;
  int out_;
  int errors_;
  std::string said_;
  std::string written_;
  std::thread out_reader_;
  std::thread errors_reader_;
};

}  // namespace saccade::bench
