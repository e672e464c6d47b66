// What is counted of a service's frames when the machine stands still meanwhile.
#include <gtest/gtest.h>

#include "bench/service/frame_count.hpp"

namespace saccade::bench {
namespace {

TimePoint at(double seconds) { return TimePoint(to_duration(Seconds(seconds))); }

// A look a second; 100 frames granted in each, all of them served but for those of the third.
std::vector<Look> looks() {
  std::vector<Look> looks;
  double served = 0.0;
  for (int second = 0; second <= 8; ++second) {
    if (second > 0) served += second == 3 ? 60.0 : 100.0;
    looks.push_back({at(second), {120.0 * second, 100.0 * second, served}});
  }
  return looks;
}

TEST(WatchedFrames, NoStallLeavesNothingOut) {
  const WatchedFrames frames = watched_frames(looks(), {});
  EXPECT_EQ(frames.all.served, 760.0);
  EXPECT_EQ(frames.outside.served, 760.0);
  EXPECT_EQ(frames.outside.demanded, 960.0);
  EXPECT_EQ(frames.left_out.value(), 0.0);
  EXPECT_EQ(frames.stalls, 0U);
}

TEST(WatchedFrames, SecondsThatAStallTouchesAndTheOneAfterAreLeftOut) {
  const WatchedFrames frames = watched_frames(looks(), {{at(2.2), at(2.4)}});
  EXPECT_EQ(frames.all.served, 760.0);
  EXPECT_EQ(frames.outside.served, 600.0) << "the third second and the fourth";
  EXPECT_EQ(frames.outside.of_granted(), 1.0);
  EXPECT_EQ(frames.left_out.value(), 2.0);
  EXPECT_EQ(frames.stalls, 1U);
}

TEST(WatchedFrames, AStallOverALookTakesBothSides) {
  const WatchedFrames frames = watched_frames(looks(), {{at(4.9), at(5.1)}});
  EXPECT_EQ(frames.left_out.value(), 3.0);
  EXPECT_EQ(frames.outside.served, 460.0);
}

TEST(WatchedFrames, WhatBothProbesSawIsOneStall) {
  const std::vector<Stall> stalls = {
      {at(6.0), at(6.05)}, {at(2.25), at(2.5)}, {at(2.2), at(2.3)}, {at(2.45), at(2.6)}};
  EXPECT_EQ(watched_frames(looks(), stalls).stalls, 2U);
}

TEST(WatchedFrames, StallsBeforeTheFirstLookAreNoneOfThem) {
  const std::vector<Look> all = looks();
  const WatchedFrames later = watched_frames(std::span(all).subspan(4), {{at(2.2), at(2.4)}});
  EXPECT_EQ(later.stalls, 0U);
  EXPECT_EQ(later.left_out.value(), 0.0);
  EXPECT_EQ(later.all.served, 400.0);
}

TEST(WatchedFrames, AllLeftOutServesNobody) {
  const WatchedFrames frames = watched_frames(looks(), {{at(0.0), at(8.0)}});
  EXPECT_EQ(frames.outside.granted, 0.0);
  EXPECT_EQ(frames.outside.of_granted(), 0.0);
  EXPECT_EQ(frames.left_out.value(), 8.0);
}

}  // namespace
}  // namespace saccade::bench
