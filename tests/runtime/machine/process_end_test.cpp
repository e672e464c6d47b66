#include "runtime/machine/process_end.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

namespace saccade::runtime {
namespace {

// A library's state, which is gone once the process runs destructors.
struct Library {
  Library() = default;
  ~Library() { ::_exit(9); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
};

[[noreturn]] void end(bool a_thread_runs) {
  static const Library library;
  skip_destructors_while([a_thread_runs] { return a_thread_runs; });
  std::exit(3);
}

TEST(ProcessEndDeathTest, NoDestructorRunsUnderAThreadThatIsLeftBehind) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(end(true), testing::ExitedWithCode(3), "");
}

// A thread that is left behind goes on in the library, which makes its state only then.
[[noreturn]] void end_of_main(bool a_thread_runs) {
  skip_destructors_while([a_thread_runs] { return a_thread_runs; });
  static const Library library;
  end_now_if_threads_run(3);
  std::exit(3);
}

TEST(ProcessEndDeathTest, NorThatOfWhatTheThreadHasMadeSince) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(end_of_main(true), testing::ExitedWithCode(3), "");
  EXPECT_EXIT(end_of_main(false), testing::ExitedWithCode(9), "");
}

TEST(ProcessEndDeathTest, WithoutOneTheProcessEndsAsAlways) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(end(false), testing::ExitedWithCode(9), "");
}

}  // namespace
}  // namespace saccade::runtime
