#include "runtime/sources/picture_clock.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

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

// The camera's clock is wrong by `by` for pictures from `from` on, up to `until`: it was set, or the time
// stamps of the stream wrapped and the camera reported its clock later.
struct Jump {
  std::chrono::nanoseconds by;
  int from;
  int until;
};

// Plays 40 pictures, whose clock is told from the `first` on; positions in the stream follow the clock as it
// was then, or, if `placed_right`, as it should have been. From `known` on every picture has its own time.
void expect_own_times(const Jump& jump, bool late, int first, int known, bool placed_right = false) {
  SCOPED_TRACE(std::to_string(jump.by.count()) + " ns from " + std::to_string(jump.from) + " to " +
               std::to_string(jump.until) + (late ? ", late" : "") + ", told from " + std::to_string(first));
  const auto wrong = [&](int number) {
    return number >= jump.from && number < jump.until ? jump.by : std::chrono::nanoseconds(0);
  };
  const std::chrono::nanoseconds base = placed_right ? std::chrono::nanoseconds(0) : wrong(first);
  PictureClock clock;
  for (int number = 0; number < 40; ++number) {
    const int with = late ? number + 1 : number;  // the picture whose beginning delivers this one
    const bool told = with >= first;
    const CaptureTime time =
        clock.picture(arrives(with), told ? std::optional(taken(with).wall + wrong(with)) : std::nullopt,
                      told ? std::optional(taken(number).wall + base) : std::nullopt);
    if (number < known) continue;
    const CaptureTime expected = told_by_camera(arrives(number), taken(number).wall + wrong(number));
    EXPECT_EQ(time.monotonic, arrives(number).monotonic) << number;
    EXPECT_EQ(time.wall, expected.wall) << number;
    EXPECT_EQ(time.by_camera, expected.by_camera) << number;
  }
}

constexpr std::chrono::nanoseconds kWrap(-47'721'858'844'444);  // 2^32 at 90 kHz
constexpr int kEver = 1000;

TEST(PictureClock, AJumpOfTheCamerasClockIsOverBeforeTheNextConnection) {
  const std::vector<std::chrono::nanoseconds> jumps = {
      seconds(3600),     seconds(-3600),     seconds(5), seconds(-5),
      milliseconds(700), milliseconds(-700), kPeriod,    kWrap};
  for (const std::chrono::nanoseconds by : jumps) {
    for (const bool late : {false, true}) {
      for (const int first : {1, 4}) {
        expect_own_times({by, first + 1, kEver}, late, first,
                         first + 2);  // between the first two that are told
        expect_own_times({by, first + 1, first + 6}, late, first, first + 2);    // and back
        expect_own_times({by, first + 10, kEver}, late, first, first + 2);       // later
        expect_own_times({by, first + 10, first + 15}, late, first, first + 2);  // and back
        expect_own_times({by, 0, first + 5}, late, first, first + 2);            // wrong from the start
      }
    }
  }
}

// The stream's time stamps wrapped between the camera's report and its first picture.
TEST(PictureClock, AClockThatIsToldWrongAtFirstIsRightFromTheCamerasNextReportOn) {
  for (const bool late : {false, true}) expect_own_times({kWrap, 0, 25}, late, 1, 27, true);
}

// Pictures that come at irregular intervals, and a network that holds some up, are no jumps.
TEST(PictureClock, IrregularPicturesAndANetworkThatHoldsThemUpAreNoJumps) {
  for (const bool late : {false, true}) {
    PictureClock clock;
    std::chrono::nanoseconds at(seconds(1'000'000));
    std::chrono::nanoseconds next = at;
    for (int number = 0; number < 50; ++number) {
      at = next;
      next += number % 3 == 0 ? seconds(2) : milliseconds(70);
      const auto with = late ? next : at;
      const auto held = number % 2 == 0 ? milliseconds(400) : milliseconds(10);
      const CaptureTime arrived{with + held, with + held, false};
      const CaptureTime time = clock.picture(arrived, with, at);
      if (number < 3) continue;
      EXPECT_TRUE(time.by_camera) << number;
      EXPECT_EQ(time.wall, at) << number << (late ? ", late" : "");
    }
  }
}

}  // namespace
}  // namespace saccade::runtime
