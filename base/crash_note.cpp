#include "base/crash_note.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

namespace saccade {
namespace {

constexpr std::array kCrashes = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
std::array<struct sigaction, kCrashes.size()> handled_before;

thread_local const CrashNote* newest_note = nullptr;

// As a signal handler may.
class Line {
 public:
  void add(std::string_view text) {
    const std::size_t count = std::min(text.size(), text_.size() - length_);
    std::copy_n(text.begin(), count, text_.begin() + static_cast<std::ptrdiff_t>(length_));
    length_ += count;
  }
  void write() const {
    const ssize_t written = ::write(STDERR_FILENO, text_.data(), length_);
    static_cast<void>(written);  // nobody reads it: there is nowhere to complain either
  }

 private:
  std::array<char, 300> text_{};
  std::size_t length_ = 0;
};

void on_crash(int signal) {
  const int saved = errno;
  if (const std::string_view work = noted_work(); !work.empty()) {
    const std::array<char, 2> number = {static_cast<char>('0' + signal / 10),
                                        static_cast<char>('0' + signal % 10)};
    Line line;
    line.add("saccade: crashed (signal ");
    line.add({number.data(), number.size()});
    line.add(") on ");
    line.add(work);
    line.add("\n");
    line.write();
  }
  for (std::size_t i = 0; i < kCrashes.size(); ++i) {
    if (kCrashes[i] == signal) ::sigaction(signal, &handled_before[i], nullptr);
  }
  errno = saved;
  ::raise(signal);  // delivered when this handler has returned
}

}  // namespace

CrashNote::CrashNote(std::initializer_list<std::string_view> texts) : outer_(newest_note) {
  for (const std::string_view text : texts) {
    const std::size_t count = std::min(text.size(), kMost - length_);
    std::copy_n(text.begin(), count, text_.begin() + static_cast<std::ptrdiff_t>(length_));
    length_ += count;
  }
  newest_note = this;
}

CrashNote::~CrashNote() { newest_note = outer_; }

std::string_view noted_work() {
  const CrashNote* const note = newest_note;
  return note == nullptr ? std::string_view() : std::string_view(note->text_.data(), note->length_);
}

void say_work_at_crashes() {
  struct sigaction action {};
  action.sa_handler = on_crash;
  action.sa_flags = SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kCrashes.size(); ++i) ::sigaction(kCrashes[i], &action, &handled_before[i]);
}

}  // namespace saccade
