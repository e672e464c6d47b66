#include "runtime/machine/thread_settings.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>

#include <algorithm>
#include <thread>

namespace saccade::runtime {
namespace {

TEST(ThreadSettings, AThreadThatWakesPreciselyKeepsItsNicenessAndGetsAShortSlice) {
  std::thread([] {
    const Duration usual = time_slice();
    const int nicer = std::min(niceness() + 3, 19);
    ASSERT_TRUE(set_nice(thread_id(), nicer));
    wake_precisely();
    EXPECT_EQ(niceness(), nicer);
    EXPECT_EQ(prctl(PR_GET_TIMERSLACK), 1);
    // Kernels before 6.12 tell 0 and know no slices.
    EXPECT_EQ(time_slice(), usual == Duration(0) ? Duration(0) : kPromptSlice);
  }).join();
}

TEST(ThreadSettings, AnotherPolicyStays) {
  std::thread([] {
    const sched_param none{};
    ASSERT_EQ(sched_setscheduler(0, SCHED_BATCH, &none), 0);
    wake_precisely();
    EXPECT_EQ(sched_getscheduler(0), SCHED_BATCH);
  }).join();
}

}  // namespace
}  // namespace saccade::runtime
