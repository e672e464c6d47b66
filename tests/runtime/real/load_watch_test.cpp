// Which loader thread is in charge, without threads: the test says when jobs begin, end and hang.
#include "runtime/real/load_watch.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace saccade::runtime::load_watch_test {
namespace {

using Due = LoadWatch::Due;

TimePoint at(int seconds) { return TimePoint(std::chrono::seconds(seconds)); }

class LoadWatchTest : public testing::Test {
 protected:
  LoadWatch watch_{std::chrono::seconds(2), std::chrono::seconds(30)};
  int first_ = watch_.start_thread();

  int hang_in_charge() {  // until another thread is started
    watch_.job_begins(at(0));
    EXPECT_EQ(watch_.look(at(30)), Due::new_thread);
    return watch_.start_thread();
  }
};

TEST_F(LoadWatchTest, NothingIsDueWithoutAJobHoweverLateItIs) {
  EXPECT_TRUE(watch_.takes_jobs(first_));
  EXPECT_EQ(watch_.look(at(1000)), Due::nothing);
  watch_.job_begins(at(1000));
  watch_.job_ends(first_);
  EXPECT_EQ(watch_.look(at(2000)), Due::nothing);
}

TEST_F(LoadWatchTest, ASlowJobIsBoostedOnceAndTheNextOneAgain) {
  watch_.job_begins(at(0));
  EXPECT_EQ(watch_.look(at(1)), Due::nothing);
  EXPECT_EQ(watch_.look(at(2)), Due::boost);
  EXPECT_EQ(watch_.look(at(3)), Due::boost) << "it did not succeed yet";
  watch_.boosted();
  EXPECT_EQ(watch_.look(at(4)), Due::nothing);
  watch_.job_ends(first_);
  EXPECT_TRUE(watch_.takes_jobs(first_));
  watch_.job_begins(at(10));
  EXPECT_EQ(watch_.look(at(12)), Due::boost);
}

TEST_F(LoadWatchTest, AThreadLeftBehindTakesNoMoreJobsWhenItComesBack) {
  const int second = hang_in_charge();
  watch_.job_ends(first_);
  EXPECT_FALSE(watch_.takes_jobs(first_));
  EXPECT_TRUE(watch_.takes_jobs(second));
  watch_.thread_ended();
  EXPECT_EQ(watch_.alive(), 1U);
}

TEST_F(LoadWatchTest, WhenAllHangTheFirstToComeBackTakesCharge) {
  const int second = hang_in_charge();
  EXPECT_TRUE(watch_.takes_jobs(second));
  watch_.job_begins(at(100));
  EXPECT_EQ(watch_.look(at(130)), Due::nothing) << "as many as may be are there";
  EXPECT_EQ(watch_.look(at(1000)), Due::nothing);
  watch_.job_ends(first_);
  EXPECT_TRUE(watch_.takes_jobs(first_));
  EXPECT_FALSE(watch_.takes_jobs(second));
}

}  // namespace
}  // namespace saccade::runtime::load_watch_test
