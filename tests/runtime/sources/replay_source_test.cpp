// Recorded arrivals: pictures of a folder in turn, when the file of arrivals says that one came.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <opencv2/imgcodecs.hpp>
#include <vector>

#include "runtime/sources/frame_source.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::runtime {
namespace {

using test::TemporaryFolder;

constexpr profiles::InputShape kInput{.width = 16, .height = 12, .channels = 3};

cv::Mat numbered(int number) { return {cv::Size(64, 48), CV_8UC3, cv::Scalar::all(number * 8)}; }

TEST(ReplaySource, DeliversThePicturesInTurnWhenTheFileSaysThatOneArrives) {
  const TemporaryFolder folder;
  cv::imwrite((folder / "a.png").string(), numbered(1));
  cv::imwrite((folder / "b.png").string(), numbered(2));
  ReplaySource replay;
  replay.pictures = folder.path();
  replay.loop = false;
  const auto ms = [](int time) { return Duration(std::chrono::milliseconds(time)); };
  replay.arrivals = std::make_shared<const std::vector<Duration>>(
      std::vector<Duration>{ms(100), ms(250), ms(260), ms(900)});
  auto source = open_source(replay, WholeFrame{}, inputs_of(kInput), {});
  ASSERT_TRUE(source.ok()) << to_string(source.errors());
  Frame frame;
  std::vector<int> delivered;
  for (int tick = 0; tick <= 10; ++tick) {
    if (source.value()->next(ms(100 * tick), frame)) delivered.push_back(tick);
    EXPECT_EQ(source.value()->fault().has_value(), tick == 10) << tick;
  }
  EXPECT_EQ(delivered, (std::vector<int>{1, 3, 9})) << "of two between ticks the newer one";
}

}  // namespace
}  // namespace saccade::runtime
