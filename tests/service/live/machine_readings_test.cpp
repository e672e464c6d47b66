// Who asks often never waits for a reading, and nobody gets an old one.
#include "service/live/machine_readings.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

namespace saccade::service {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class ReadingsKeeperTest : public ::testing::Test {
 protected:
  // The n-th reading is n bytes. Readings on other threads than the test's wait until they may end.
  MachineReadings read() {
    const int number = ++readings_;
    if (std::this_thread::get_id() != asker_) may_end_.get_future().wait();
    return {Bytes(number), {}};
  }
  double memory() { return keeper_.newest().memory.value().value(); }

  const std::thread::id asker_ = std::this_thread::get_id();
  std::atomic<int> readings_ = 0;
  std::promise<void> may_end_;
  ManualClock clock_;
  ReadingsKeeper keeper_{clock_, [this] { return read(); }};
};

TEST_F(ReadingsKeeperTest, OfTheSameSecondAreReadOnce) {
  EXPECT_EQ(memory(), 1.0);
  clock_.advance(milliseconds(999));
  EXPECT_EQ(memory(), 1.0);
  EXPECT_EQ(readings_, 1);
}

TEST_F(ReadingsKeeperTest, WhoAsksOftenIsAnsweredWhileTheNextOneIsRead) {
  EXPECT_EQ(memory(), 1.0);
  clock_.advance(milliseconds(1500));
  EXPECT_EQ(memory(), 1.0);
  while (readings_ < 2) std::this_thread::yield();  // on the keeper's thread, which waits
  clock_.advance(milliseconds(900));                // the second one is not old then
  EXPECT_EQ(memory(), 1.0);
  EXPECT_EQ(readings_, 2);
  may_end_.set_value();
  while (memory() < 2.0) std::this_thread::yield();
  EXPECT_EQ(readings_, 2);
}

TEST_F(ReadingsKeeperTest, WhoAsksSeldomGetsANewOne) {
  EXPECT_EQ(memory(), 1.0);
  clock_.advance(seconds(15));
  EXPECT_EQ(memory(), 2.0);
  EXPECT_EQ(readings_, 2);
}

TEST(MachineReadings, AreThoseOfThisProcess) {
  const MachineReadings readings = read_machine();
  ASSERT_TRUE(readings.memory.has_value());
  EXPECT_GT(*readings.memory, Bytes(1e6));
}

}  // namespace
}  // namespace saccade::service
