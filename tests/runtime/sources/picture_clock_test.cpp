#include "runtime/sources/picture_clock.hpp"

#include <gtest/gtest.h>

namespace saccade::runtime {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kPeriod(200);
constexpr milliseconds kWay(30);  // from the camera to here

// Picture `number` of a camera whose clock is this machine's: begins to arrive kWay after it was taken.
CaptureTime taken(int number) { return {kPeriod * number, seconds(1'000'000) + kPeriod * number, false}; }
CaptureTime arrives(int number) {
  CaptureTime time = taken(number);
  time.monotonic += kWay;
  time.wall += kWay;
  return time;
}

TEST(PictureClock, APictureThatIsHandedOnWithTheNextOneHasItsOwnTime) {
  PictureClock clock;
  for (int number = 0; number < 10; ++number) {
    const bool told = number >= 4;  // the camera tells its clock after a while
    const CaptureTime next = arrives(number + 1);
    const CaptureTime time = clock.picture(next, told ? std::optional(taken(number + 1).wall) : std::nullopt,
                                           told ? std::optional(taken(number).wall) : std::nullopt);
    if (number <= 4) {
      EXPECT_FALSE(time.by_camera && time.wall == taken(number).wall) << number << ": not known yet";
      continue;
    }
    EXPECT_TRUE(time.by_camera) << number;
    EXPECT_EQ(time.wall, taken(number).wall) << number;
    EXPECT_EQ(time.monotonic, arrives(number).monotonic) << number;
  }
}

TEST(PictureClock, APictureThatIsHandedOnAtOnceHasTheClockThatCameWithIt) {
  PictureClock clock;
  for (int number = 0; number < 10; ++number) {
    const CaptureTime time = clock.picture(arrives(number), taken(number).wall, taken(number).wall);
    EXPECT_TRUE(time.by_camera) << number;
    EXPECT_EQ(time.wall, taken(number).wall) << number;
    EXPECT_EQ(time.monotonic, arrives(number).monotonic) << number;
  }
}

TEST(PictureClock, WithoutTheCamerasClockTheArrivalCounts) {
  PictureClock clock;
  for (int number = 0; number < 3; ++number) {
    const CaptureTime time = clock.picture(arrives(number), std::nullopt, std::nullopt);
    EXPECT_FALSE(time.by_camera);
    EXPECT_EQ(time.wall, arrives(number).wall);
    EXPECT_EQ(time.monotonic, arrives(number).monotonic);
  }
}

// The clock of the stream drifts away from the camera's: both are compared while they are young.
TEST(PictureClock, ADriftOfTheStreamChangesNothing) {
  PictureClock clock;
  for (int number = 0; number < 100'000; ++number) {
    const auto drift = std::chrono::microseconds(50) * number;
    const CaptureTime time =
        clock.picture(arrives(number + 1), taken(number + 1).wall, taken(number).wall - drift);
    if (number == 0) continue;
    ASSERT_EQ(time.wall, taken(number).wall) << number;
  }
}

}  // namespace
}  // namespace saccade::runtime
