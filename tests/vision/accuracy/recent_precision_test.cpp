// map and map50 over the last frames: as the evaluator finds it on exactly those frames.
#include "vision/accuracy/recent_precision.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "vision/accuracy/average_precision.hpp"

namespace saccade::vision {
namespace {

struct DrawnFrame {
  Truths truths;
  Objects objects;
};

std::vector<DrawnFrame> drawn_frames(std::size_t count) {
  std::mt19937_64 random(11);
  const auto below = [&](int n) { return static_cast<float>(random() % static_cast<std::uint64_t>(n)); };
  const auto box = [&] { return Box{8 * below(4), 8 * below(3), 8 + 8 * below(4), 8 + 8 * below(4)}; };
  std::vector<DrawnFrame> frames(count);
  for (DrawnFrame& frame : frames) {
    for (std::size_t i = random() % 4; i > 0; --i) {
      frame.truths.push_back({box(), static_cast<int>(random() % 3), random() % 8 == 0, std::nullopt});
    }
    for (std::size_t i = random() % 6; i > 0; --i) {
      frame.objects.push_back({box(), static_cast<int>(random() % 4), 0.1F * (1 + below(9))});
    }
  }
  return frames;
}

TEST(RecentPrecision, IsTheEvaluatorsOnTheFramesKept) {
  const std::vector<DrawnFrame> frames = drawn_frames(300);
  for (const std::size_t most : {1U, 7U, 50U}) {
    RecentPrecision recent(most);
    EXPECT_EQ(recent.value(), std::nullopt);
    for (std::size_t i = 0; i < frames.size(); ++i) {
      EXPECT_EQ(recent.add(frames[i].truths, frames[i].objects),
                count_matches(frames[i].truths, frames[i].objects));
      ASSERT_EQ(recent.frames(), std::min(i + 1, most));
      DetectionAccuracy accuracy(4);
      for (std::size_t k = i + 1 - recent.frames(); k <= i; ++k)
        accuracy.add(frames[k].truths, frames[k].objects);
      const PrecisionFigures expected = accuracy.figures();
      const MeanPrecision value = recent.value().value_or(MeanPrecision{-1.0, -1.0});
      ASSERT_NEAR(value.map, expected.map.value_or(-1.0), 1e-12) << i;
      ASSERT_NEAR(value.map50, expected.map50.value_or(-1.0), 1e-12) << i;
    }
  }
}

TEST(RecentPrecision, ForgetsWhatIsCleared) {
  RecentPrecision recent(10);
  const Truths truths = {{{0, 0, 8, 8}, 0, false, std::nullopt}};
  (void)recent.add(truths, Objects{{{0, 0, 8, 8}, 0, 0.9F}});
  EXPECT_EQ(recent.value(), (MeanPrecision{1.0, 1.0}));
  recent.clear();
  EXPECT_EQ(recent.value(), std::nullopt);
  EXPECT_EQ(recent.frames(), 0U);
}

}  // namespace
}  // namespace saccade::vision
