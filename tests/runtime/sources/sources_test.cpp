// The sources, through their one door open_source(). Frames of the test videos are plain pictures
// whose brightness is their number, so that what was delivered can be read back from the tensor.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/videoio.hpp>
#include <random>

#include "images/image_generator.hpp"
#include "runtime/pictures/preparer.hpp"
#include "runtime/sources/capture.hpp"
#include "runtime/sources/frame_picture.hpp"
#include "runtime/sources/frame_source.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::runtime::sources_test {
namespace {

using test::TemporaryFolder;

constexpr profiles::InputShape kInput{.width = 16, .height = 12, .channels = 3};
constexpr int kBrightnessStep = 8;

cv::Mat numbered(int number) {
  return {cv::Size(64, 48), CV_8UC3, cv::Scalar::all(number * kBrightnessStep)};
}

std::filesystem::path write_video(const std::filesystem::path& file, int frames, double rate) {
  cv::VideoWriter writer(file.string(), cv::VideoWriter::fourcc('M', 'J', 'P', 'G'), rate, cv::Size(64, 48));
  EXPECT_TRUE(writer.isOpened());
  for (int number = 0; number < frames; ++number) writer.write(numbered(number));
  return file;
}

int number_of(const Frame& frame) {
  const std::vector<std::uint8_t>& pixels = frame.picture->pixels;
  const double mean = std::accumulate(pixels.begin(), pixels.end(), 0.0) / static_cast<double>(pixels.size());
  return static_cast<int>(std::lround(mean / kBrightnessStep));
}

// What an engine of a set of the first format takes.
std::vector<float> tensor_of(const Frame& frame, const profiles::InputShape& input) {
  Preparer preparer(profiles::plain_interface(input).input);
  std::vector<float> values(frame.regions.size() * input.size());
  for (std::size_t region = 0; region < frame.regions.size(); ++region) {
    preparer.write(*frame.picture, frame.regions[region],
                   std::as_writable_bytes(std::span(values).subspan(region * input.size(), input.size())));
  }
  return values;
}

std::unique_ptr<FrameSource> opened(const SourceConfig& source, const Regions& regions = WholeFrame{}) {
  auto result = open_source(source, regions, inputs_of(kInput), {});
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : to_string(result.errors()));
  return std::move(result).value();
}

Errors refused(const SourceConfig& source, const Regions& regions = WholeFrame{}) {
  const auto result = open_source(source, regions, inputs_of(kInput), {});
  EXPECT_FALSE(result.ok());
  return result.ok() ? Errors{} : result.errors();
}

// The frame numbers at the ticks k / rate; -1 where there was none.
std::vector<int> numbers(FrameSource& source, double rate, int ticks) {
  std::vector<int> result;
  Frame frame;
  for (int k = 0; k < ticks; ++k) {
    result.push_back(source.next(to_duration(Seconds(k / rate)), frame) ? number_of(frame) : -1);
  }
  return result;
}

using Numbers = std::vector<int>;

// --- Regions ------------------------------------------------------------------------------------

TEST(Regions, AGridCoversEveryPixelExactlyOnce) {
  for (const auto& [columns, rows] : {std::pair{1, 1}, {4, 2}, {3, 5}, {7, 7}, {64, 48}}) {
    const auto boxes = region_boxes(Grid{columns, rows}, 64, 48);
    ASSERT_TRUE(boxes.ok());
    EXPECT_EQ(boxes.value().size(), static_cast<std::size_t>(columns * rows));
    cv::Mat covered(48, 64, CV_8U, cv::Scalar(0));
    for (const PixelBox& box : boxes.value()) covered(cv::Rect(box[0], box[1], box[2], box[3])) += 1;
    EXPECT_EQ(cv::countNonZero(covered != 1), 0) << columns << " x " << rows;
  }
}

TEST(Regions, AGridIsReadRowByRow) {
  const auto boxes = region_boxes(Grid{2, 2}, 64, 48);
  EXPECT_EQ(boxes.value(),
            (std::vector<PixelBox>{{0, 0, 32, 24}, {32, 0, 32, 24}, {0, 24, 32, 24}, {32, 24, 32, 24}}));
}

TEST(Regions, EveryBoxOutsideTheFrameIsNamedWithTheFramesSize) {
  const std::vector<PixelBox> boxes{
      {0, 0, 64, 48}, {60, 0, 5, 5}, {-1, 0, 4, 4}, {0, 0, 0, 4}, {1, 1, 2147483647, 1}};
  const auto result = region_boxes(boxes, 64, 48);
  ASSERT_FALSE(result.ok());
  ASSERT_EQ(result.errors().size(), 4U);
  EXPECT_EQ(result.errors()[0].where, "regions/1");
  EXPECT_EQ(result.errors()[0].what, "the box [60, 0, 5, 5] is not inside the frame of 64 x 48 pixels");
  EXPECT_NE(result.errors()[0].hint, "");
}

TEST(Regions, AVideoWithABoxOutsideItsRealSizeDoesNotOpen) {
  const TemporaryFolder folder;
  const auto file = write_video(folder / "a.avi", 3, 10.0);
  const Errors errors = refused(VideoSource{file.string()}, std::vector<PixelBox>{{0, 0, 65, 48}});
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].where, "regions/0");
}

TEST(Regions, EachRegionOfThePictureBecomesOneEntryOfTheBatchInRedGreenBlueOrder) {
  cv::Mat picture(kInput.height * 2, kInput.width * 2, CV_8UC3, cv::Scalar::all(0));
  picture(cv::Rect(0, 0, kInput.width, kInput.height)) = cv::Scalar(0, 0, 255);            // red
  picture(cv::Rect(kInput.width, 0, kInput.width, kInput.height)) = cv::Scalar(0, 51, 0);  // green
  picture(cv::Rect(kInput.width, kInput.height, kInput.width, kInput.height)) =
      cv::Scalar(102, 0, 0);  // blue
  FramePicture pictures(Grid{2, 2}, inputs_of(kInput));
  Frame frame;
  ASSERT_TRUE(pictures.write(picture, frame));
  const std::vector<float> values = tensor_of(frame, kInput);
  ASSERT_EQ(values.size(), 4 * kInput.size());
  const std::size_t plane = kInput.size() / 3;
  const auto is_plain = [&](std::size_t region, std::size_t channel, float expected) {
    const float* first = values.data() + region * kInput.size() + channel * plane;
    return std::all_of(first, first + plane, [&](float value) { return std::abs(value - expected) < 1e-6F; });
  };
  const float expected[4][3] = {{1.0F, 0, 0}, {0, 0.2F, 0}, {0, 0, 0}, {0, 0, 0.4F}};
  for (std::size_t region = 0; region < 4; ++region) {
    for (std::size_t channel = 0; channel < 3; ++channel) {
      EXPECT_TRUE(is_plain(region, channel, expected[region][channel])) << region << " " << channel;
    }
  }
}

TEST(Regions, APictureOfAnotherSizeGivesTheSameTensorShape) {
  FramePicture pictures(Grid{2, 1}, inputs_of(kInput));
  Frame frame;
  for (const cv::Size size : {cv::Size(64, 48), cv::Size(8, 8), cv::Size(640, 480)}) {
    ASSERT_TRUE(pictures.write(cv::Mat(size, CV_8UC3, cv::Scalar::all(255)), frame));
    const std::vector<float> values = tensor_of(frame, kInput);
    ASSERT_EQ(values.size(), 2 * kInput.size());
    EXPECT_FLOAT_EQ(*std::min_element(values.begin(), values.end()), 1.0F);
  }
}

TEST(Regions, APictureTooSmallForItsBoxesIsRefusedAndTheNextGoodOneTaken) {
  FramePicture pictures(std::vector<PixelBox>{{30, 30, 10, 10}}, inputs_of(kInput));
  Frame frame;
  EXPECT_FALSE(pictures.write(cv::Mat(20, 20, CV_8UC3, cv::Scalar::all(1)), frame));
  EXPECT_TRUE(pictures.write(cv::Mat(40, 40, CV_8UC3, cv::Scalar::all(1)), frame));
}

// --- Reduction ----------------------------------------------------------------------------------

NetworkInputs sizes(profiles::Resize resize, const std::vector<std::pair<int, int>>& all) {
  NetworkInputs inputs;
  for (const auto& [width, height] : all) {
    profiles::PictureInput input;
    input.resize = resize;
    input.width = width;
    input.height = height;
    inputs.variants.push_back(input);
  }
  return inputs;
}

TEST(Reduction, IsTheLeastSizeThatNothingEnlarges) {
  using profiles::Resize;
  const cv::Size camera(1920, 1080);
  const std::vector<PixelBox> whole{{0, 0, 1920, 1080}};
  const auto letterbox = [](const std::vector<std::pair<int, int>>& all) {
    return sizes(Resize::letterbox, all);
  };
  EXPECT_EQ(least_size(camera, whole, letterbox({{640, 640}})), cv::Size(640, 360));
  EXPECT_EQ(least_size(camera, whole, letterbox({{320, 320}, {640, 640}, {416, 416}})), cv::Size(640, 360));
  EXPECT_EQ(least_size(camera, whole, letterbox({{4000, 4000}})), camera) << "never enlarged";
  EXPECT_EQ(least_size(camera, whole, sizes(Resize::cover, {{320, 320}})), cv::Size(569, 320));
  EXPECT_EQ(least_size(camera, whole, sizes(Resize::stretch, {{64, 64}})), cv::Size(64, 64));
  const auto grid = region_boxes(Grid{4, 2}, 1920, 1080).value();
  EXPECT_EQ(least_size(camera, grid, sizes(Resize::stretch, {{64, 64}})), cv::Size(256, 128));
  EXPECT_EQ(least_size(camera, {{100, 100, 64, 32}}, sizes(Resize::stretch, {{64, 64}})), camera)
      << "a small region is seen as it is";
}

// Laws, for sizes drawn at random: no region is smaller than what a variant makes of it unless it was before,
// every region lies in the picture and holds what it held.
TEST(Reduction, LeavesEveryRegionEnoughAndInThePicture) {
  std::mt19937 dice(20261123);
  const auto draw = [&](int least, int most) {
    return least + static_cast<int>(dice() % static_cast<unsigned>(most - least + 1));
  };
  for (int round = 0; round < 300; ++round) {
    const cv::Size size(draw(20, 400), draw(20, 400));
    const auto resize = static_cast<profiles::Resize>(dice() % 3);
    const NetworkInputs inputs = sizes(resize, {{draw(1, 90), draw(1, 90)}, {draw(1, 90), draw(1, 90)}});
    const PixelBox box{draw(0, 10), draw(0, 10), draw(1, size.width - 10), draw(1, size.height - 10)};
    FramePicture pictures(std::vector<PixelBox>{box}, inputs);
    Frame frame;
    ASSERT_TRUE(pictures.write(cv::Mat(size, CV_8UC3, cv::Scalar::all(round % 256)), frame));
    const Picture& picture = *frame.picture;
    EXPECT_EQ(cv::Size(picture.frame_width, picture.frame_height), size);
    EXPECT_EQ(pictures.bytes(size.width, size.height), picture.pixels.size());
    const PixelBox& cut = frame.regions.at(0);
    ASSERT_TRUE(cut[0] >= 0 && cut[1] >= 0 && cut[0] + cut[2] <= picture.width &&
                cut[1] + cut[3] <= picture.height);
    const vision::Box shown = region_in_frame(picture, cut);
    EXPECT_LE(shown.x, static_cast<float>(box[0]) + 1e-3F);
    EXPECT_GE(shown.x + shown.width, static_cast<float>(box[0] + box[2]) - 1e-3F);
    for (const profiles::PictureInput& input : inputs.variants) {
      const vision::Box region{0.0F, 0.0F, static_cast<float>(box[2]), static_cast<float>(box[3])};
      const vision::PixelRect wanted = vision::place(input, region, {size.width, size.height}).picture;
      EXPECT_GE(cut[2], std::min(wanted.width, box[2]));
      EXPECT_GE(cut[3], std::min(wanted.height, box[3]));
    }
    EXPECT_EQ(picture.pixels.front(), round % 256);
  }
}

// A camera's grid of a set of the first format: the picture is reduced as a whole, with the weights that each
// region had when it was cut out first.
TEST(Reduction, OfAGridWhoseCellsAreAlikeIsThatOfItsCells) {
  cv::Mat noise(120, 160, CV_8UC3);
  cv::randu(noise, cv::Scalar::all(0), cv::Scalar::all(256));
  FramePicture pictures(Grid{2, 2}, inputs_of(kInput));
  Frame frame;
  ASSERT_TRUE(pictures.write(noise, frame));
  const std::vector<float> found = tensor_of(frame, kInput);
  std::size_t at = 0;
  for (const cv::Rect& cell : {cv::Rect(0, 0, 80, 60), {80, 0, 80, 60}, {0, 60, 80, 60}, {80, 60, 80, 60}}) {
    cv::Mat resized;
    cv::resize(noise(cell), resized, {kInput.width, kInput.height}, 0, 0, cv::INTER_AREA);
    for (int c = 0; c < 3; ++c) {
      for (int y = 0; y < kInput.height; ++y) {
        for (int x = 0; x < kInput.width; ++x, ++at)
          ASSERT_NEAR(255.0F * found[at], resized.at<cv::Vec3b>(y, x)[2 - c], 1.01F);
      }
    }
  }
}

TEST(Frames, SayWhenTheyWereTaken) {
  const CaptureTime before = captured_now();
  Frame frame;
  const auto source = open_source(SyntheticSource{"vehicles", 1}, WholeFrame{},
                                  inputs_of({.width = 64, .height = 64, .channels = 3}),
                                  images::ImageGenerator::find("vehicles")->labels());
  ASSERT_TRUE(source.ok());
  ASSERT_TRUE(source.value()->next({}, frame));
  EXPECT_GE(frame.captured_at.monotonic, before.monotonic);
  EXPECT_LE(frame.captured_at.monotonic, captured_now().monotonic);
  EXPECT_GT(frame.captured_at.wall.count(), 1'700'000'000'000'000'000) << "nanoseconds since 1970";
}

// --- Video files --------------------------------------------------------------------------------

TEST(VideoFile, AskedAtItsOwnRateGivesEveryFrameOnce) {
  const TemporaryFolder folder;
  const auto source = opened(VideoSource{write_video(folder / "a.avi", 8, 25.0).string()});
  EXPECT_EQ(numbers(*source, 25.0, 8), (Numbers{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(VideoFile, AskedSlowerPlaysAtNormalSpeedAndSkips) {
  const TemporaryFolder folder;
  const auto source = opened(VideoSource{write_video(folder / "a.avi", 25, 25.0).string()});
  EXPECT_EQ(numbers(*source, 10.0, 8), (Numbers{0, 2, 5, 7, 10, 12, 15, 17}));
}

TEST(VideoFile, AskedFasterPlaysAtNormalSpeedAndRepeats) {
  const TemporaryFolder folder;
  const auto source = opened(VideoSource{write_video(folder / "a.avi", 8, 10.0).string()});
  EXPECT_EQ(numbers(*source, 25.0, 8), (Numbers{0, 0, 0, 1, 1, 2, 2, 2}));
}

TEST(VideoFile, LoopsFromItsFirstFrameWhenAskedTo) {
  const TemporaryFolder folder;
  const auto source = opened(VideoSource{write_video(folder / "a.avi", 3, 10.0).string(), true});
  EXPECT_EQ(numbers(*source, 10.0, 10), (Numbers{0, 1, 2, 0, 1, 2, 0, 1, 2, 0}));
}

TEST(VideoFile, EndsWithAWordWhenItDoesNotLoop) {
  const TemporaryFolder folder;
  const auto source = opened(VideoSource{write_video(folder / "a.avi", 3, 10.0).string(), false});
  EXPECT_EQ(numbers(*source, 10.0, 5), (Numbers{0, 1, 2, -1, -1}));
  ASSERT_TRUE(source->fault().has_value());
  EXPECT_NE(source->fault()->find("has ended"), std::string::npos);
}

TEST(VideoFile, PlaysOnFromWhereItWasAfterALongPause) {
  const TemporaryFolder folder;
  const auto source = opened(VideoSource{write_video(folder / "a.avi", 20, 10.0).string()});
  Frame frame;
  ASSERT_TRUE(source->next(to_duration(Seconds(0.3)), frame));
  EXPECT_EQ(number_of(frame), 3);
  ASSERT_TRUE(source->next(to_duration(Seconds(3600.0)), frame));
  EXPECT_EQ(number_of(frame), 4);
  ASSERT_TRUE(source->next(to_duration(Seconds(3600.2)), frame));
  EXPECT_EQ(number_of(frame), 6);
}

TEST(VideoFile, ThatIsMissingDoesNotOpen) {
  const Errors errors = refused(VideoSource{"/nowhere/a.avi"});
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].where, "/nowhere/a.avi");
  EXPECT_EQ(errors[0].what, "cannot open the video");
}

// FFmpeg's own ways to reach further files are closed.
TEST(VideoFile, IsNoListOfOtherPlaces) {
  const TemporaryFolder folder;
  const std::string clip = write_video(folder / "a.avi", 8, 25.0).string();
  EXPECT_EQ(refused(VideoSource{"concat:" + clip}).size(), 1U);
  EXPECT_EQ(refused(VideoSource{"subfile,,start,0,end,0,,:" + clip}).size(), 1U);
}

TEST(VideoFile, ThatIsNoVideoDoesNotOpen) {
  const TemporaryFolder folder;
  std::ofstream(folder / "a.avi") << "not a video";
  EXPECT_EQ(refused(VideoSource{(folder / "a.avi").string()}).size(), 1U);
}

TEST(VideoFile, ThatIsCutOffPlaysItsWholeFramesAndLoops) {
  const TemporaryFolder folder;
  const auto file = write_video(folder / "a.avi", 20, 10.0);
  std::filesystem::resize_file(file, std::filesystem::file_size(file) * 4 / 5);
  const auto source = opened(VideoSource{file.string()});
  const Numbers seen = numbers(*source, 10.0, 40);
  // It goes up one by one to where it was cut and starts again; nothing is made up beyond the cut.
  const auto last = std::max_element(seen.begin(), seen.end());
  EXPECT_GE(*last, 2);
  EXPECT_LT(*last, 19);
  int expected = 0;
  for (const int number : seen) {
    if (number < 0) continue;  // the broken frame at the cut
    EXPECT_EQ(number, expected);
    expected = (number == *last) ? 0 : number + 1;
  }
}

TEST(Camera, ThatIsNotThereDoesNotOpen) {
  const Errors errors = refused(CameraSource{9999});
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].where, "/dev/video9999");
}

// --- Images -------------------------------------------------------------------------------------

TEST(Images, ComeInTheOrderOfTheirNamesOnePerTickAndStartAgain) {
  const TemporaryFolder folder;
  cv::imwrite((folder / "c.bmp").string(), numbered(3));
  cv::imwrite((folder / "a.PNG").string(), numbered(1));
  cv::imwrite((folder / "b.jpg").string(), numbered(2));
  std::ofstream(folder / "notes.txt") << "no picture";
  const auto source = opened(ImagesSource{folder.path(), true});
  EXPECT_EQ(numbers(*source, 10.0, 5), (Numbers{1, 2, 3, 1, 2}));
}

TEST(Images, EndWithAWordWhenTheyDoNotLoop) {
  const TemporaryFolder folder;
  cv::imwrite((folder / "a.png").string(), numbered(1));
  const auto source = opened(ImagesSource{folder.path(), false});
  EXPECT_EQ(numbers(*source, 10.0, 2), (Numbers{1, -1}));
  EXPECT_TRUE(source->fault().has_value());
}

TEST(Images, ABrokenOneIsNamedAndPassedOver) {
  const TemporaryFolder folder;
  cv::imwrite((folder / "a.png").string(), numbered(1));
  std::ofstream(folder / "b.png") << "broken";
  cv::imwrite((folder / "c.png").string(), numbered(3));
  const auto source = opened(ImagesSource{folder.path(), true});
  EXPECT_EQ(numbers(*source, 10.0, 2), (Numbers{1, -1}));
  ASSERT_TRUE(source->fault().has_value());
  EXPECT_NE(source->fault()->find("b.png"), std::string::npos);
  EXPECT_EQ(numbers(*source, 10.0, 2), (Numbers{3, 1}));
  EXPECT_FALSE(source->fault().has_value());
}

TEST(Images, AFolderThatIsMissingOrHoldsNoneDoesNotOpen) {
  const TemporaryFolder folder;
  EXPECT_EQ(refused(ImagesSource{folder.path()}).at(0).what, "the folder holds no picture");
  EXPECT_EQ(refused(ImagesSource{folder / "missing"}).at(0).where, (folder / "missing").string());
  std::ofstream(folder / "a.png") << "broken";
  EXPECT_NE(refused(ImagesSource{folder.path()}).at(0).what.find("can be read"), std::string::npos);
}

}  // namespace
}  // namespace saccade::runtime::sources_test
