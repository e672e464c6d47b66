// What is counted of a service's frames: all of them, whatever the machine did meanwhile.
#include <gtest/gtest.h>

#include "bench/service/frame_count.hpp"

namespace saccade::bench {
namespace {

TEST(WatchedFrames, CountWhatTheHostTookFromTheServiceAsLost) {
  const Look before{{1000.0, 900.0, 880.0}, Seconds(2.0)};
  const Look after{{1960.0, 1700.0, 1640.0}, Seconds(2.5)};
  const WatchedFrames frames = between(before, after);
  EXPECT_EQ(frames.all.demanded, 960.0);
  EXPECT_EQ(frames.all.of_granted(), 760.0 / 800.0);
  EXPECT_EQ(frames.all.achieved(), 760.0 / 960.0);
  EXPECT_EQ(frames.steal->value(), 0.5);
}

TEST(WatchedFrames, SayNothingAboutStealThatIsNotReported) {
  EXPECT_FALSE(between({{}, Seconds(2.0)}, {{}, std::nullopt}).steal);
  EXPECT_EQ(between({}, {}).all.achieved(), 0.0);
}

}  // namespace
}  // namespace saccade::bench
