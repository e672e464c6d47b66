#include "app/verbs/run_signals.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <future>

namespace saccade::app {
namespace {

// As a library starts one before main(). It waits in poll(): in most other calls the thread sanitizer holds
// signals back. What reaches a thread in its first call the sanitizer may lose, so the thread makes one
// before.
class ThreadThatBlocksNothing {
 public:
  ThreadThatBlocksNothing() {
    EXPECT_EQ(pipe(ends_.data()), 0);
    std::promise<void> waits;
    thread_ = std::thread([from = ends_[0], &waits] {
      pollfd end{from, 0, 0};  // POLLHUP
      EXPECT_EQ(poll(&end, 1, 0), 0);
      waits.set_value();
      while (poll(&end, 1, -1) != 1) continue;
    });
    waits.get_future().wait();
  }
  ~ThreadThatBlocksNothing() {
    close(ends_[1]);
    thread_.join();
    close(ends_[0]);
  }
  ThreadThatBlocksNothing(const ThreadThatBlocksNothing&) = delete;
  ThreadThatBlocksNothing& operator=(const ThreadThatBlocksNothing&) = delete;

 private:
  std::array<int, 2> ends_{};
  std::thread thread_;
};

TEST(RunSignals, ASignalThatAThreadOfALibraryReceivesIsPassedOn) {
  const ThreadThatBlocksNothing library;
  std::promise<void> stopped;
  RunSignals signals;
  signals.watch([&] { stopped.set_value(); }, [] {});
  ASSERT_EQ(kill(getpid(), SIGTERM), 0);
  stopped.get_future().wait();
}

TEST(RunSignals, ASignalFromBeforeTheWatchIsHandled) {
  std::promise<void> stopped;
  RunSignals signals;
  ASSERT_EQ(kill(getpid(), SIGINT), 0);
  signals.watch([&] { stopped.set_value(); }, [] {});
  stopped.get_future().wait();
}

TEST(RunSignals, AReloadIsHeldUntilItIsTaken) {
  const ThreadThatBlocksNothing library;
  std::atomic<int> reloads{0};
  std::promise<void> reloaded;
  std::promise<void> stopped;
  RunSignals signals;
  signals.watch([&] { stopped.set_value(); },
                [&] {
                  if (++reloads == 1) reloaded.set_value();
                });
  ASSERT_EQ(kill(getpid(), SIGHUP), 0);
  ASSERT_EQ(kill(getpid(), SIGTERM), 0);  // read after the other one, which the watcher therefore has
  stopped.get_future().wait();
  EXPECT_EQ(reloads, 0);
  signals.take_reloads();
  reloaded.get_future().wait();
  signals.stop_watching();
  EXPECT_EQ(reloads, 1);
}

TEST(RunSignals, WhatComesAfterTheWatchIsForgottenAndHandlersAreGivenBack) {
  struct sigaction before {};
  ASSERT_EQ(sigaction(SIGTERM, nullptr, &before), 0);
  {
    const ThreadThatBlocksNothing library;
    RunSignals signals;
    signals.watch([] {}, [] {});
    signals.stop_watching();
    ASSERT_EQ(kill(getpid(), SIGTERM), 0);
    ASSERT_EQ(kill(getpid(), SIGHUP), 0);
  }
  struct sigaction after {};
  ASSERT_EQ(sigaction(SIGTERM, nullptr, &after), 0);
  EXPECT_EQ(after.sa_handler, before.sa_handler);
  EXPECT_TRUE(after.sa_handler == SIG_DFL);
}

// The thread sanitizer sees a handler that writes to what the destructor closes.
TEST(RunSignals, AHandlerThatIsStillUnderWayHasSomewhereToWrite) {
  const ThreadThatBlocksNothing library;
  for (int round = 0; round < 200; ++round) {
    const RunSignals signals;
    ASSERT_EQ(kill(getpid(), SIGHUP), 0);
  }
}

}  // namespace
}  // namespace saccade::app
