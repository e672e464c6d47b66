#include "base/crash_note.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>

namespace saccade {
namespace {

TEST(CrashNote, TheInnermostNoteOfTheThreadIsWhatItWorksOn) {
  EXPECT_EQ(noted_work(), "");
  const CrashNote outer({"a frame of task ", "gate"});
  {
    const CrashNote inner({"a picture"});
    EXPECT_EQ(noted_work(), "a picture");
    std::thread([] { EXPECT_EQ(noted_work(), ""); }).join();
  }
  EXPECT_EQ(noted_work(), "a frame of task gate");
  const std::string endless(10'000, 'x');
  const CrashNote cut({"y", endless, "z"});
  EXPECT_EQ(noted_work().substr(0, 3), "yxx");
  EXPECT_LE(noted_work().size(), 200U);
}

[[noreturn]] void crash(int signal, bool noted) {
  std::signal(signal, SIG_DFL);  // not a sanitizer's
  say_work_at_crashes();
  if (noted) {
    const CrashNote note({"a picture sent to task gate"});
    std::raise(signal);
  }
  std::raise(signal);
  std::abort();
}

TEST(CrashNoteDeathTest, ACrashSaysWhatItWorkedOnAndStaysACrash) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) {
    const std::string number = (signal < 10 ? "0" : "") + std::to_string(signal);
    EXPECT_EXIT(crash(signal, true), testing::KilledBySignal(signal),
                "saccade: crashed \\(signal " + number + "\\) on a picture sent to task gate\n");
    EXPECT_EXIT(crash(signal, false), testing::KilledBySignal(signal), "^$");
  }
}

}  // namespace
}  // namespace saccade
