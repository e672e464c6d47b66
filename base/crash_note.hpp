// What a thread is working on, so that a crash reports its input: one line on standard error before the
// process ends as it would have ended otherwise.
//     saccade: crashed (signal 11) on a picture sent to task gate (image/jpeg, 5120 bytes)
// Order: say_work_at_crashes() once, early in main(). Threads: any; a note belongs to the thread that creates
// it. Cost of a note: a copy of its text. Errors: none; a text that is too long is truncated.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <string_view>

namespace saccade {

class CrashNote {
 public:
  // The texts, concatenated. An inner note hides an outer one during its lifetime.
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

// The calling thread's note; empty: none.
[[nodiscard]] std::string_view noted_work();

// Installs handlers of SIGSEGV, SIGBUS, SIGILL, SIGFPE and SIGABRT. The previous handlers are called next.
void say_work_at_crashes();

}  // namespace saccade
