// When a source counts as lost, and how long to wait before one is tried again.
#include "runtime/frames/source_watch.hpp"

#include <gtest/gtest.h>

#include "runtime/sources/retry.hpp"
#include "tests/support/milliseconds.hpp"

namespace saccade::runtime {
namespace {

using test::at_ms;
using test::ms;

class Watch : public ::testing::Test {
 protected:
  // Looks ten times a second; when it was lost.
  std::optional<TimePoint> look(double from_ms, double to_ms) {
    for (double t = from_ms; t < to_ms; t += 100) {
      if (watch.look(at_ms(t), period)) return at_ms(t);
    }
    return std::nullopt;
  }
  void hear(double from_ms, double to_ms, double every_ms) {
    for (double t = from_ms; t < to_ms; t += every_ms) EXPECT_FALSE(watch.heard(at_ms(t)));
  }
  SourceWatch watch;
  Duration period = ms(50);
};

TEST_F(Watch, IsLostASecondAfterItsLastFrameAndBackWithItsNext) {
  watch.begin(at_ms(0));
  hear(0, 5000, 50);  // the last one at 4950
  EXPECT_EQ(look(5000, 10'000), at_ms(6100)) << "the second look that finds it silent";
  EXPECT_EQ(look(6200, 60'000), std::nullopt) << "it is told once";
  EXPECT_TRUE(watch.heard(at_ms(60'000)));
  EXPECT_FALSE(watch.lost());
}

TEST_F(Watch, WhereNothingIsDueNothingIsLost) {
  EXPECT_EQ(look(0, 60'000), std::nullopt);
  watch.begin(at_ms(60'000));
  watch.end();
  EXPECT_EQ(look(60'000, 120'000), std::nullopt);
}

TEST_F(Watch, ASlowTaskIsGivenThreePeriods) {
  period = ms(2000);
  watch.begin(at_ms(0));
  EXPECT_EQ(look(0, 20'000), at_ms(6100));
}

TEST_F(Watch, ASourceThatIsSlowByItselfIsLostOnceAtMost) {
  watch.begin(at_ms(0));
  int lost = 0;
  for (int i = 0; i < 600; ++i) {  // a frame every two seconds, for a task that wants twenty in each
    if (look(i * 2000.0, i * 2000.0 + 2000)) ++lost;
    static_cast<void>(watch.heard(at_ms(i * 2000.0 + 2000)));
  }
  EXPECT_EQ(lost, 1);
}

TEST_F(Watch, ALongPauseIsForgottenAfterAMinute) {
  watch.begin(at_ms(0));
  ASSERT_TRUE(look(0, 8000));
  ASSERT_TRUE(watch.heard(at_ms(8000)));
  hear(8050, 9000, 50);
  EXPECT_EQ(look(9000, 30'000), at_ms(19'100)) << "given ten seconds, the most";
  ASSERT_TRUE(watch.heard(at_ms(30'000)));
  hear(30'050, 100'000, 50);
  EXPECT_EQ(look(100'000, 120'000), at_ms(101'100));
}

TEST_F(Watch, OneLookAfterTheProcessStoodStillLosesNothing) {
  watch.begin(at_ms(0));
  EXPECT_FALSE(watch.look(at_ms(4000), period));
  EXPECT_FALSE(watch.heard(at_ms(4001)));
  EXPECT_FALSE(watch.look(at_ms(4100), period));
}

TEST(RetryPause, DoublesUpToItsCapWithAQuarterOfJitterAndStartsAnew) {
  bool differs = false;
  for (std::uint32_t seed = 1; seed <= 50; ++seed) {
    RetryPause retry(seed);
    for (int round = 0; round < 2; ++round) {
      Duration expected = RetryPause::kFirst;
      for (int i = 0; i < 8; ++i) {
        const Duration pause = retry.next();
        EXPECT_GE(pause, expected - expected / 4);
        EXPECT_LE(pause, std::min(expected + expected / 4, RetryPause::kMost));
        differs = differs || pause != expected;
        expected = std::min(2 * expected, RetryPause::kMost);
      }
      retry.succeeded();
    }
  }
  EXPECT_TRUE(differs);
}

// A camera has to be back three seconds after its return, of which its first picture takes half a second.
TEST(RetryPause, IsNeverLongerThanTwoSecondsHoweverLongTheCameraWasUnavailable) {
  RetryPause retry(1);
  for (int attempt = 0; attempt < 1000; ++attempt) EXPECT_LE(retry.next(), std::chrono::seconds(2));
}

// While it is away it refuses connections at once; its first picture takes 2.1 s at most after it is asked.
TEST(RetryPause, ACameraOfOnePictureASecondThatWasNeverSeenDeliversWithinFourSeconds) {
  constexpr Duration kFirstPicture = std::chrono::milliseconds(2100);
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    for (Duration back(0); back < std::chrono::seconds(30); back += std::chrono::milliseconds(50)) {
      RetryPause retry(seed);
      Duration asked = retry.next();
      while (asked < back) asked += retry.next();
      EXPECT_LE(asked + kFirstPicture - back, std::chrono::milliseconds(4100)) << back.count();
    }
  }
}

// The longest time from the return of a camera with these pictures, which refuses connections at once while
// it is away, to its next picture.
Duration longest_return(Duration interval, Duration first_picture) {
  Duration longest(0);
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    for (Duration back(0); back < std::chrono::seconds(30); back += std::chrono::milliseconds(50)) {
      RetryPause retry(seed);
      retry.delivers_every(interval);
      Duration asked = retry.next();
      while (asked < back) asked += retry.next();
      longest = std::max(longest, asked + first_picture - back);
    }
  }
  return longest;
}

TEST(RetryPause, ACameraOfOnePictureASecondDeliversAgainWithinThreeSeconds) {
  EXPECT_LE(longest_return(std::chrono::seconds(1), std::chrono::milliseconds(2100)),
            std::chrono::seconds(3));
}

TEST(RetryPause, ACameraOfManyPicturesIsNotRetriedMoreOftenThanEveryTwoSeconds) {
  RetryPause often(1);
  RetryPause unknown(1);
  often.delivers_every(std::chrono::milliseconds(40));
  for (int attempt = 0; attempt < 100; ++attempt) EXPECT_EQ(often.next(), unknown.next()) << attempt;
  // Nor is one whose pictures are too rare for the three seconds, of which key frames alone are read, say.
  RetryPause rare(1);
  RetryPause unknown_too(1);
  rare.delivers_every(std::chrono::seconds(2));
  for (int attempt = 0; attempt < 100; ++attempt) EXPECT_EQ(rare.next(), unknown_too.next()) << attempt;
}

TEST(RetryPause, AnAttemptThatTookLongCountsAsPartOfThePause) {
  RetryPause retry(1);
  for (int attempt = 0; attempt < 10; ++attempt) static_cast<void>(retry.next());
  const Duration after_half_a_second = retry.next(std::chrono::milliseconds(500));
  EXPECT_GE(after_half_a_second, std::chrono::milliseconds(1000));
  EXPECT_LE(after_half_a_second, std::chrono::milliseconds(1500));
  EXPECT_EQ(retry.next(std::chrono::seconds(5)), RetryPause::kLeast);
}

}  // namespace
}  // namespace saccade::runtime
