// Wakes a thread that polls: any thread rings it, the polling thread reads it from file() and silences it.
// Threads: any. Errors: none; the program aborts if it gets no descriptor.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>

#include "base/check.hpp"

namespace saccade::results {

class Bell {
 public:
  Bell() : file_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) { SACCADE_CHECK(file_ >= 0); }
  ~Bell() { close(file_); }
  Bell(const Bell&) = delete;
  Bell& operator=(const Bell&) = delete;

  void ring() const {
    const std::uint64_t once = 1;
    [[maybe_unused]] const ssize_t written = write(file_, &once, sizeof once);  // full: it rings already
  }
  void silence() const {
    std::uint64_t rung = 0;
    [[maybe_unused]] const ssize_t got = read(file_, &rung, sizeof rung);
  }
  [[nodiscard]] int file() const { return file_; }

 private:
  int file_;
};

// Blocks SIGPIPE on the calling thread: writing to a connection that the peer has closed would otherwise
// terminate the program where a library does not suppress the signal.
inline void block_broken_pipes() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

}  // namespace saccade::results
