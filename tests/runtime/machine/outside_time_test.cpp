// What a CPU lost to others than this process, from samples as the kernel gives them.
#include "runtime/machine/outside_time.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include "runtime/machine/cpu_accounts.hpp"

namespace saccade::runtime {
namespace {

TimePoint probe_ms(double ms) { return TimePoint(to_duration(Seconds(ms * 1e-3))); }
Duration lasting_ms(double ms) { return to_duration(Seconds(ms * 1e-3)); }

// A probe that sleeps 5 ms at a time; each step says how long it then waited and why.
class Outside : public testing::Test {
 protected:
  Outside() { (void)outside_.add(sample_); }
  struct Step {  // ms
    double own = 0.0;
    double other = 0.0;
    double steal = 0.0;
    double throttled = 0.0;
    bool asleep = false;  // the host took the CPU while the probe slept: it never queued
  };
  std::optional<CpuHold> step(const Step& what) {
    const double waited = what.own + what.other + what.steal + what.throttled;
    sample_.at += lasting_ms(5.0 + waited);
    sample_.waited += lasting_ms(what.asleep ? 0.0 : waited);
    sample_.own += lasting_ms(what.own);
    sample_.steal += lasting_ms(what.steal);
    sample_.throttled += lasting_ms(what.throttled);
    return outside_.add(sample_);
  }

  CpuSample sample_;
  OutsideTime outside_;
};

// The fault: captures that need more than the CPU has starve the probe, again and again.
TEST_F(Outside, OwnThreadsThatOverloadTheProbesCpuAreNoOutsider) {
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(step({.own = 25.0 + i % 200}));
  EXPECT_EQ(outside_.between(probe_ms(0), sample_.at), Duration(0));
}

TEST_F(Outside, AnotherProgramHoldsTheCpuForWhatOwnThreadsLeft) {
  step({});
  const auto hold = step({.own = 10.0, .other = 40.0});
  ASSERT_TRUE(hold);
  EXPECT_EQ(hold->to, sample_.at);
  EXPECT_EQ(hold->to - hold->from, lasting_ms(40.0));
  EXPECT_EQ(hold->stolen, Duration(0));
}

TEST_F(Outside, StealIsToldWhetherTheProbeQueuedOrSlept) {
  const auto queued = step({.steal = 140.0});
  ASSERT_TRUE(queued);
  EXPECT_EQ(queued->stolen, lasting_ms(140.0));
  EXPECT_EQ(queued->to - queued->from, lasting_ms(140.0)) << "counted once, not as waiting and as steal";
  const auto slept = step({.steal = 30.0, .asleep = true});
  ASSERT_TRUE(slept);
  EXPECT_EQ(slept->to - slept->from, lasting_ms(30.0));
}

TEST_F(Outside, StealThatIsToldLateIsNoLongerThanOwnThreadsLeft) {
  sample_.steal += lasting_ms(90.0);  // of long before: /proc/stat counts in hundredths of a second
  EXPECT_FALSE(step({.own = 60.0}));
}

TEST_F(Outside, AQuotaOfTheOwnControlGroupIsNoStall) {
  EXPECT_FALSE(step({.throttled = 80.0}));
  const auto both = step({.other = 30.0, .throttled = 80.0});
  ASSERT_TRUE(both);
  EXPECT_EQ(both->to - both->from, lasting_ms(30.0));
}

TEST_F(Outside, ShortWaitsAreEverydayScheduling) {
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(step({.other = 19.0}));
  EXPECT_EQ(outside_.between(probe_ms(0), sample_.at), Duration(0));
}

TEST_F(Outside, TimeBetweenTwoMomentsIsThatOfTheHoldsInThem) {
  step({.other = 45.0});  // ends at 50 ms
  step({});
  step({.steal = 90.0});  // from 60 to 150 ms
  EXPECT_EQ(outside_.between(probe_ms(0), probe_ms(200)), lasting_ms(135.0));
  EXPECT_EQ(outside_.between(probe_ms(40), probe_ms(70)), lasting_ms(20.0));
  EXPECT_EQ(outside_.between(probe_ms(51), probe_ms(59)), Duration(0));
}

TEST(CpuAccounts, ReadsStealOfOneCpu) {
  const std::string stat =
      "cpu  54590 777 4957 30072 400 0 88 152 0 0\n"
      "cpu0 26858 430 1994 16113 41 0 9 78 0 0\n"
      "cpu10 1 2 3 4 5 6 7 9 0 0\n";
  const auto tick = Duration(std::chrono::seconds(1)) / ::sysconf(_SC_CLK_TCK);
  EXPECT_EQ(steal_in(stat, 0), 78 * tick);
  EXPECT_EQ(steal_in(stat, 10), 9 * tick);
  EXPECT_FALSE(steal_in(stat, 1));
  EXPECT_FALSE(steal_in("cpu1 3 4", 1));
}

TEST(CpuAccounts, AddsUpThrottlingOfBothVersions) {
  Throttling sum;
  EXPECT_TRUE(add_throttling("usage_usec 5\nnr_periods 9\nnr_throttled 3\nthrottled_usec 250\n", sum));
  EXPECT_TRUE(add_throttling("nr_periods 0\nnr_throttled 2\nthrottled_time 7000\n", sum));
  EXPECT_FALSE(add_throttling("usage_usec 5\nuser_usec 4\n", sum));
  EXPECT_EQ(sum.count, 5);
  EXPECT_EQ(sum.time, std::chrono::microseconds(257));
}

// Whatever the machine does meanwhile: what this thread ran is own on the CPU it may run on.
TEST(CpuAccounts, CountsWhatThisThreadRan) {
  CpuAccounts accounts(::sched_getcpu());
  const CpuSample before = accounts.read(probe_ms(0), true);
  volatile double sum = 0.0;
  for (int i = 0; i < 2'000'000; ++i) sum = sum + i;
  const CpuSample after = accounts.read(probe_ms(1), true);
  EXPECT_GT(after.own, before.own);
  EXPECT_GE(after.waited, before.waited);
  EXPECT_GE(after.steal, before.steal);
}

}  // namespace
}  // namespace saccade::runtime
