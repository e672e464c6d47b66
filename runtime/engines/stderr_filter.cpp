#include "runtime/engines/stderr_filter.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

namespace saccade::runtime {

namespace {

void write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(file, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;  // nobody reads standard error: there is nowhere to complain either
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

// --- A crash while a filter lives -----------------------------------------------------------------

constexpr std::array kCrashes = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
constexpr int kMostPauses = 200;  // of a millisecond

// What a signal handler may see of the filter.
std::atomic<int> crash_pipe = -1;            // -1: no filter
std::atomic<bool> crash_line_passed = true;  // nothing that was read waits for the rest of its line
std::array<struct sigaction, kCrashes.size()> before_filter;

// The thread inside goes on while this handler runs: it is given the time to pass on what was written. Then
// the crash happens as it would have without the filter.
void on_crash(int signal) {
  const int saved = errno;
  const int pipe = crash_pipe.load();
  for (int i = 0; pipe >= 0 && i < kMostPauses; ++i) {
    int waiting = 0;
    if (::ioctl(pipe, FIONREAD, &waiting) != 0 || (waiting == 0 && crash_line_passed)) break;
    const timespec pause{0, 1'000'000};
    ::nanosleep(&pause, nullptr);
  }
  for (std::size_t i = 0; i < kCrashes.size(); ++i) {
    if (kCrashes[i] == signal) ::sigaction(signal, &before_filter[i], nullptr);
  }
  errno = saved;
  ::raise(signal);  // delivered when this handler has returned
}

void watch_for_crashes(int pipe) {
  crash_pipe = pipe;
  struct sigaction action {};
  action.sa_handler = on_crash;
  action.sa_flags = SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kCrashes.size(); ++i) ::sigaction(kCrashes[i], &action, &before_filter[i]);
}

void stop_watching_for_crashes() {
  for (std::size_t i = 0; i < kCrashes.size(); ++i) ::sigaction(kCrashes[i], &before_filter[i], nullptr);
  crash_pipe = -1;
}

}  // namespace

class StderrFilter::Passage {
 public:
  explicit Passage(std::string dropped_text) : dropped_text_(std::move(dropped_text)) {}
  ~Passage() {
    for (const int file : {original_, read_, write_, stop_}) {
      if (file >= 0) ::close(file);
    }
  }
  Passage(const Passage&) = delete;
  Passage& operator=(const Passage&) = delete;

  [[nodiscard]] bool begin() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    read_ = ends[0];
    write_ = ends[1];
    // Of the reading end alone: writers wait as they would at a terminal.
    if (::fcntl(read_, F_SETFL, O_NONBLOCK) != 0) return false;
    stop_ = ::eventfd(0, EFD_CLOEXEC);
    original_ = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
    if (stop_ < 0 || original_ < 0) return false;
    try {
      thread_ = std::thread([this] { pass_all(); });
    } catch (const std::system_error&) {
      return false;
    }
    watch_for_crashes(read_);
    std::fflush(stderr);
    ::dup2(write_, STDERR_FILENO);
    return true;
  }

  void end() {
    std::fflush(stderr);
    ::dup2(original_, STDERR_FILENO);
    const std::uint64_t one = 1;
    (void)!::write(stop_, &one, sizeof one);
    thread_.join();
    stop_watching_for_crashes();
  }

 private:
  void pass_all() {
    std::array<pollfd, 2> files{pollfd{read_, POLLIN, 0}, pollfd{stop_, POLLIN, 0}};
    while ((files[1].revents & POLLIN) == 0) {
      if (::poll(files.data(), files.size(), -1) < 0 && errno != EINTR) break;
      pass();
    }
    pass();
    pass_line(line_);  // without an end
  }

  // What has been written by now.
  void pass() {
    std::array<char, 4096> buffer{};
    crash_line_passed = false;
    for (ssize_t count = 0; (count = ::read(read_, buffer.data(), buffer.size())) > 0;) {
      line_.append(buffer.data(), static_cast<std::size_t>(count));
      std::size_t begin = 0;
      for (std::size_t end = 0; (end = line_.find('\n', begin)) != std::string::npos; begin = end + 1) {
        pass_line(std::string_view(line_).substr(begin, end + 1 - begin));
      }
      line_.erase(0, begin);
    }
    crash_line_passed = true;
  }

  void pass_line(std::string_view line) {
    if (line.find(dropped_text_) == std::string_view::npos) write_all(original_, line);
  }

  const std::string dropped_text_;
  int original_ = -1;  // standard error as it was
  int read_ = -1;
  int write_ = -1;
  int stop_ = -1;
  std::string line_;  // whose end has not come yet
  std::thread thread_;
};

StderrFilter::StderrFilter(std::string dropped_text) {
  auto passage = std::make_unique<Passage>(std::move(dropped_text));
  if (passage->begin()) passage_ = std::move(passage);
}

StderrFilter::~StderrFilter() {
  if (passage_) passage_->end();
}

}  // namespace saccade::runtime
