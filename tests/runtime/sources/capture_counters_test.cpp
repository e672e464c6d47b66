// A camera's counters: the sizes of its pictures, and when it sends too many pixels.
#include "runtime/sources/capture_counters.hpp"

#include <gtest/gtest.h>

namespace saccade::runtime {
namespace {

TEST(CaptureCounters, SizesAreUnknownBeforeTheFirstPictureIsTaken) {
  CaptureCounters counters;
  EXPECT_FALSE(counters.read().sent.has_value());
  EXPECT_FALSE(counters.read().used.has_value());
  counters.sent = CaptureCounters::packed({65'000, 1});
  counters.used = CaptureCounters::packed({320, 180});
  EXPECT_EQ(counters.read().sent, (CaptureSize{65'000, 1}));
  EXPECT_EQ(counters.read().used, (CaptureSize{320, 180}));
}

TEST(CaptureCounters, WhatAnEarlierSourceSentIsForgotten) {
  CaptureFacts now;
  now.processor_time = Duration(5);
  now.sent = CaptureSize{640, 360};
  CaptureFacts earlier;
  earlier.processor_time = Duration(7);
  earlier.sent = CaptureSize{1920, 1080};
  now += earlier;
  EXPECT_EQ(now.processor_time, Duration(12));
  EXPECT_EQ(now.sent, (CaptureSize{640, 360}));
}

TEST(CaptureCounters, FourTimesThePixelsAreNotTooMany) {
  EXPECT_FALSE(sends_too_much({320, 180}, {160, 90}));
  EXPECT_TRUE(sends_too_much({321, 180}, {160, 90}));
  EXPECT_TRUE(sends_too_much({100'000, 100'000}, {1920, 1080}));
}

}  // namespace
}  // namespace saccade::runtime
