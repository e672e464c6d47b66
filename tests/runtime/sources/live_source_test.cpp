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
#include "runtime/sources/decode_schedule.hpp"
#include "runtime/sources/source_threads.hpp"
#include "runtime/sources/stream_capture.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::runtime {
namespace {

using test::TemporaryFolder;

const NetworkInputs kInputs = inputs_of(profiles::InputShape{.width = 16, .height = 12, .channels = 3});

std::string film(const std::filesystem::path& file, cv::Size size, double brightness) {
  cv::VideoWriter writer(file.string(), cv::VideoWriter::fourcc('M', 'J', 'P', 'G'), 10.0, size);
  EXPECT_TRUE(writer.isOpened());
  for (int i = 0; i < 3; ++i) writer.write(cv::Mat(size, CV_8UC3, cv::Scalar::all(brightness)));
  return file.string();
}

double brightness_of(const Frame& frame) {
  const std::vector<std::uint8_t>& pixels = frame.picture->pixels;
  return std::accumulate(pixels.begin(), pixels.end(), 0.0) / static_cast<double>(pixels.size());
}

// Where the reader asks for the camera again.
class Door {
 public:
  explicit Door(std::string first = {}) : first_(std::move(first)) {}
  // On the reader's thread: waits for what the test opens; empty: nothing. The first film is there at once.
  std::string ask() {
    std::unique_lock lock(mutex_);
    if (!first_.empty()) return std::exchange(first_, {});
    ++asked_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return let_in_ >= asked_; });
    return file_;
  }
  bool open(cv::VideoCapture& capture) {
    const std::string file = ask();
    return !file.empty() && open_capture(capture, file);
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
  std::string first_;
  int asked_ = 0;
  int let_in_ = 0;
  std::string file_;
};

// What every capture has to do, with the door as its camera.
struct Kind {
  const char* name;
  std::function<std::shared_ptr<LiveCapture>(const std::shared_ptr<Door>&)> capture;
};

std::shared_ptr<LiveCapture> by_opencv(const std::shared_ptr<Door>& door) {
  return live_capture(std::make_unique<cv::VideoCapture>(),
                      [door](cv::VideoCapture& again) { return door->open(again); });
}

std::shared_ptr<LiveCapture> by_ffmpeg(const std::shared_ptr<Door>& door) {
  StreamSettings settings;
  settings.protocols = "file";
  settings.reduced = [](cv::Size size) { return size; };
  return stream_capture(
      [door]() -> Result<std::string> {
        std::string file = door->ask();
        if (file.empty()) return Error{"the door", "stays closed", ""};
        return file;
      },
      settings);
}

class EveryLiveSource : public testing::TestWithParam<Kind> {};
INSTANTIATE_TEST_SUITE_P(LiveSource, EveryLiveSource,
                         testing::Values(Kind{"OpenCv", by_opencv}, Kind{"FFmpeg", by_ffmpeg}),
                         [](const auto& kind) { return std::string(kind.param.name); });

TEST_P(EveryLiveSource, ThatGoesAwayComesBackAndIsToldOfMeanwhile) {
  const TemporaryFolder folder;
  const cv::Size size(64, 48);
  const auto door = std::make_shared<Door>(film(folder / "first.avi", size, 40));
  const Regions lower_right = std::vector<PixelBox>{{40, 30, 16, 12}};
  auto source = open_live(GetParam().capture(door), "rtsp://yard", lower_right, kInputs);
  ASSERT_TRUE(source.ok());
  Frame frame;

  door->wait_for(1);  // the first film is over
  EXPECT_TRUE(source.value()->next(Duration(0), frame)) << "its last picture nobody has seen yet";
  EXPECT_NEAR(brightness_of(frame), 40, 4);
  EXPECT_FALSE(source.value()->next(Duration(1), frame)) << "an old picture is not given twice";
  ASSERT_TRUE(source.value()->fault().has_value());
  EXPECT_TRUE(source.value()->fault()->starts_with("rtsp://yard ")) << *source.value()->fault();
  EXPECT_TRUE(source.value()->fault()->ends_with("; opening it again")) << *source.value()->fault();

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

TEST_P(EveryLiveSource, ThatHangsWhileItIsOpenedAgainDoesNotHoldUpItsEnd) {
  const TemporaryFolder folder;
  const auto door = std::make_shared<Door>(film(folder / "only.avi", cv::Size(64, 48), 40));
  ASSERT_TRUE(source_threads()->wait_for_none(std::chrono::seconds(60))) << "those of other tests";
  auto source = open_live(GetParam().capture(door), "/dev/video7", WholeFrame{}, kInputs);
  ASSERT_TRUE(source.ok());
  door->wait_for(1);  // the reader hangs in there
  source.value().reset();
  EXPECT_EQ(source_threads()->count(), 1U) << "it uses its library, whose static objects have to stay";
  door->give_up();
  EXPECT_TRUE(source_threads()->wait_for_none(std::chrono::seconds(60)));
}

TEST(LiveSource, ThatDeliversNoPictureOrOneThatDoesNotFitIsRefused) {
  const TemporaryFolder folder;
  const auto never = [](cv::VideoCapture&) { return false; };
  const auto nothing = open_live(live_capture(std::make_unique<cv::VideoCapture>(), never), "/dev/video7",
                                 WholeFrame{}, kInputs);
  ASSERT_FALSE(nothing.ok());
  EXPECT_EQ(nothing.errors().front().where, "/dev/video7");

  auto capture = std::make_unique<cv::VideoCapture>();
  ASSERT_TRUE(open_capture(*capture, film(folder / "small.avi", cv::Size(32, 24), 40)));
  EXPECT_FALSE(open_live(live_capture(std::move(capture), never), "/dev/video7",
                         std::vector<PixelBox>{{40, 30, 16, 12}}, kInputs)
                   .ok());
}

// What a camera does is counted; it delivers as many pictures as the test allows.
struct Counts {
  std::mutex mutex;
  std::condition_variable changed;
  int allowed = 1;
  int grabbed = 0;
  int retrieved = 0;
  bool gone = false;

  void allow(int more) {  // and waits until they are taken
    std::unique_lock lock(mutex);
    allowed += more;
    changed.notify_all();
    changed.wait(lock, [&] { return grabbed == allowed; });
  }
};

class CountingCamera final : public cv::VideoCapture {
 public:
  explicit CountingCamera(std::shared_ptr<Counts> counts) : counts_(std::move(counts)) {}
  bool isOpened() const override { return true; }
  bool grab() override {
    std::unique_lock lock(counts_->mutex);
    counts_->changed.wait(lock, [&] { return counts_->grabbed < counts_->allowed || counts_->gone; });
    if (counts_->gone) return false;
    ++counts_->grabbed;
    counts_->changed.notify_all();
    return true;
  }
  bool retrieve(cv::OutputArray picture, int) override {
    const std::lock_guard lock(counts_->mutex);
    ++counts_->retrieved;
    cv::Mat(48, 64, CV_8UC3, cv::Scalar::all(100)).copyTo(picture);
    return true;
  }

 private:
  std::shared_ptr<Counts> counts_;
};

TEST(LiveSource, PicturesThatNoTickTakesAreNotDecoded) {
  const auto counts = std::make_shared<Counts>();
  auto source = open_live(
      live_capture(std::make_unique<CountingCamera>(counts), [](cv::VideoCapture&) { return false; }),
      "/dev/video7", WholeFrame{}, kInputs);
  ASSERT_TRUE(source.ok());
  counts->allow(200);
  counts->allow(1);  // so that the reader is done with the ones before
  {
    const std::lock_guard lock(counts->mutex);
    EXPECT_LE(counts->retrieved, 3) << "the first at the opening and the reader's first";
  }
  Frame frame;
  EXPECT_TRUE(source.value()->next(Duration(0), frame));
  {
    const std::lock_guard lock(counts->mutex);
    counts->gone = true;
    counts->changed.notify_all();
  }
}

TEST(DecodeSchedule, TheTimeThatACameraIsAwayIsNoIntervalOfItsPictures) {
  DecodeSchedule schedule;
  const auto at = [](int ms) { return TimePoint(std::chrono::milliseconds(ms)); };
  for (int ms = 0; ms <= 10'000; ms += 1000) static_cast<void>(schedule.grabbed(at(ms)));
  EXPECT_EQ(schedule.period(), std::chrono::seconds(1));
  schedule.lost();
  EXPECT_TRUE(schedule.grabbed(at(70'000))) << "its first picture is wanted";
  EXPECT_EQ(schedule.period(), std::chrono::seconds(1));
  static_cast<void>(schedule.grabbed(at(71'000)));
  EXPECT_EQ(schedule.period(), std::chrono::seconds(1));
}

TEST(DecodeSchedule, DecodesOneOrTwoPicturesForATickAndNoneWithoutTicks) {
  DecodeSchedule schedule;
  const auto at = [](int ms) { return TimePoint(std::chrono::milliseconds(ms)); };
  int decoded = 0;
  int decoded_at = 0;
  int ticks = 0;
  for (int ms = 0; ms < 10'000; ++ms) {
    if (ms % 33 == 0 && schedule.grabbed(at(ms))) {
      ++decoded;
      decoded_at = ms;
    }
    if (ms % 200 != 199) continue;
    schedule.ticked(at(ms));
    if (++ticks > 2) {
      EXPECT_LE(ms - decoded_at, 33) << "the newest that there is, at " << ms;
    }
  }
  EXPECT_LE(decoded, 2 * ticks + 1);
  EXPECT_GE(decoded, ticks - 2);
  const int before = decoded;
  for (int ms = 11'000; ms < 20'000; ms += 33) decoded += schedule.grabbed(at(ms)) ? 1 : 0;
  EXPECT_EQ(decoded, before) << "the task takes no pictures any more";
  schedule.want();
  EXPECT_TRUE(schedule.grabbed(at(20'000)));
}

}  // namespace
}  // namespace saccade::runtime
