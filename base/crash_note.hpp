// What a thread works on, so that a crash says which input it had: one line on standard error before the
// process ends as it would have ended without it.
//     saccade: crashed (signal 11) on a picture sent to task gate (image/jpeg, 5120 bytes)
// Order: say_work_at_crashes() once, early in main(). Threads: any; a note belongs to the thread that makes
// it. Cost of a note: a copy of its text. Errors: none; a text that is too long is cut off.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <string_view>

namespace saccade {

class CrashNote {
 public:
  // The texts one after the other. An inner note hides an outer one while it lives.
  explicit CrashNote(std::initializer_list<std::string_view> texts);
  ~CrashNote();
  CrashNote(const CrashNote&) = delete;
  CrashNote& operator=(const CrashNote&) = delete;

 private:
  friend std::string_view noted_work();
  static constexpr std::size_t kMost = 200;
  std::array<char, kMost> text_;
  std::size_t length_ = 0;
  const CrashNote* outer_;
};

// Of the calling thread; empty: nothing.
[[nodiscard]] std::string_view noted_work();

// Installs handlers of SIGSEGV, SIGBUS, SIGILL, SIGFPE and SIGABRT. What handled them before handles them
// next.
void say_work_at_crashes();

}  // namespace saccade
