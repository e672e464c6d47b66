// A camera that goes away and comes back. The camera is made of files: each opening plays the next one, as
// fast as it can be read, and its end is the camera's loss. Every opening waits until the test lets it go on,
// so what is seen meanwhile does not depend on time.
#include "runtime/sources/live_source.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <filesystem>
#include <limits>
#include <mutex>
#include <numeric>

#include "runtime/sources/capture.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::runtime {
namespace {

using test::TemporaryFolder;

constexpr profiles::InputShape kInput{.width = 16, .height = 12, .channels = 3};

std::string film(const std::filesystem::path& file, cv::Size size, double brightness) {
  cv::VideoWriter writer(file.string(), cv::VideoWriter::fourcc('M', 'J', 'P', 'G'), 10.0, size);
  EXPECT_TRUE(writer.isOpened());
  for (int i = 0; i < 3; ++i) writer.write(cv::Mat(size, CV_8UC3, cv::Scalar::all(brightness)));
  return file.string();
}

double brightness_of(const Frame& frame) {
  return 255.0 * std::accumulate(frame.input.begin(), frame.input.end(), 0.0) /
         static_cast<double>(frame.input.size());
}

// Where the reader asks for the camera again.
class Door {
 public:
  // On the reader's thread: waits for what the test opens.
  bool open(cv::VideoCapture& capture) {
    std::unique_lock lock(mutex_);
    ++asked_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return let_in_ >= asked_; });
    return !file_.empty() && open_capture(capture, file_);
  }
  // On the test's: until the reader has asked for the n-th time.
  void wait_for(int n) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return asked_ >= n; });
  }
  void let_in(const std::string& file) {
    const std::lock_guard lock(mutex_);
    file_ = file;
    ++let_in_;
    changed_.notify_all();
  }
  void give_up() {  // whoever asks from now on gets nothing
    const std::lock_guard lock(mutex_);
    file_.clear();
    let_in_ = std::numeric_limits<int>::max();
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int asked_ = 0;
  int let_in_ = 0;
  std::string file_;
};

TEST(LiveSource, ThatGoesAwayComesBackAndIsToldOfMeanwhile) {
  const TemporaryFolder folder;
  const cv::Size size(64, 48);
  const auto door = std::make_shared<Door>();
  cv::VideoCapture capture;
  ASSERT_TRUE(open_capture(capture, film(folder / "first.avi", size, 40)));
  const Regions lower_right = std::vector<PixelBox>{{40, 30, 16, 12}};
  auto source = open_live(
      capture, [door](cv::VideoCapture& again) { return door->open(again); }, "rtsp://yard", lower_right,
      kInput);
  ASSERT_TRUE(source.ok());
  Frame frame;

  door->wait_for(1);  // the first film is over
  EXPECT_TRUE(source.value()->next(Duration(0), frame)) << "its last picture nobody has seen yet";
  EXPECT_NEAR(brightness_of(frame), 40, 4);
  EXPECT_FALSE(source.value()->next(Duration(1), frame)) << "an old picture is not given twice";
  ASSERT_TRUE(source.value()->fault().has_value());
  EXPECT_EQ(*source.value()->fault(), "rtsp://yard delivers nothing; opening it again");

  door->let_in(film(folder / "second.avi", size, 120));
  door->wait_for(2);
  EXPECT_TRUE(source.value()->next(Duration(2), frame));
  EXPECT_NEAR(brightness_of(frame), 120, 4);
  EXPECT_FALSE(source.value()->fault().has_value()) << "it is back";

  door->let_in(film(folder / "smaller.avi", cv::Size(32, 24), 200));
  door->wait_for(3);
  EXPECT_FALSE(source.value()->next(Duration(3), frame)) << "the regions lie outside of this picture";
  ASSERT_TRUE(source.value()->fault().has_value());
  EXPECT_NE(source.value()->fault()->find("the picture size of rtsp://yard changed"), std::string::npos)
      << *source.value()->fault();

  door->give_up();
}

TEST(LiveSource, ThatHangsWhileItIsOpenedAgainDoesNotHoldUpItsEnd) {
  const TemporaryFolder folder;
  const auto door = std::make_shared<Door>();
  cv::VideoCapture capture;
  ASSERT_TRUE(open_capture(capture, film(folder / "only.avi", cv::Size(64, 48), 40)));
  auto source = open_live(
      capture, [door](cv::VideoCapture& again) { return door->open(again); }, "/dev/video7", WholeFrame{},
      kInput);
  ASSERT_TRUE(source.ok());
  door->wait_for(1);  // the reader hangs in there
  source.value().reset();
  door->give_up();
}

TEST(LiveSource, ThatDeliversNoPictureOrOneThatDoesNotFitIsRefused) {
  const TemporaryFolder folder;
  const auto never = [](cv::VideoCapture&) { return false; };
  const auto nothing = open_live({}, never, "/dev/video7", WholeFrame{}, kInput);
  ASSERT_FALSE(nothing.ok());
  EXPECT_EQ(nothing.errors().front().where, "/dev/video7");

  cv::VideoCapture capture;
  ASSERT_TRUE(open_capture(capture, film(folder / "small.avi", cv::Size(32, 24), 40)));
  EXPECT_FALSE(
      open_live(capture, never, "/dev/video7", std::vector<PixelBox>{{40, 30, 16, 12}}, kInput).ok());
}

}  // namespace
}  // namespace saccade::runtime
