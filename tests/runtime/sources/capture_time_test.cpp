#include "runtime/sources/capture_time.hpp"

#include <gtest/gtest.h>

namespace saccade::runtime {
namespace {

TEST(CaptureTime, ACamerasClockIsBelievedWhereItIsAboutRight) {
  using std::chrono::seconds;
  const CaptureTime arrived{seconds(70), seconds(1'000'000), false};
  for (const int late : {0, 1, 10}) {
    const CaptureTime told = told_by_camera(arrived, arrived.wall - seconds(late));
    EXPECT_TRUE(told.by_camera) << late;
    EXPECT_EQ(told.wall, arrived.wall - seconds(late));
    EXPECT_EQ(told.monotonic, arrived.monotonic) << "ages count from the arrival";
  }
  EXPECT_TRUE(told_by_camera(arrived, arrived.wall + seconds(1)).by_camera);
  for (const seconds wrong : {seconds(-3600), seconds(-2), seconds(11), seconds(999'999)}) {
    const CaptureTime told = told_by_camera(arrived, arrived.wall - wrong);
    EXPECT_FALSE(told.by_camera) << wrong.count();
    EXPECT_EQ(told.wall, arrived.wall);
  }
}

}  // namespace
}  // namespace saccade::runtime
