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

#include "runtime/frame_source.hpp"
#include "runtime/sources/capture.hpp"
#include "runtime/sources/frame_tensor.hpp"
#include "runtime/sources/procedural/image_generator.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::runtime {
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
  const double mean =
      std::accumulate(frame.input.begin(), frame.input.end(), 0.0) / static_cast<double>(frame.input.size());
  return static_cast<int>(std::lround(mean * 255.0 / kBrightnessStep));
}

std::unique_ptr<FrameSource> opened(const SourceConfig& source, const Regions& regions = WholeFrame{}) {
  auto result = open_source(source, regions, kInput, {});
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : to_string(result.errors()));
  return std::move(result).value();
}

Errors refused(const SourceConfig& source, const Regions& regions = WholeFrame{}) {
  const auto result = open_source(source, regions, kInput, {});
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
  FrameTensor tensor(Grid{2, 2}, kInput);
  std::vector<float> values;
  ASSERT_TRUE(tensor.write(picture, values));
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
  FrameTensor tensor(Grid{2, 1}, kInput);
  std::vector<float> values;
  for (const cv::Size size : {cv::Size(64, 48), cv::Size(8, 8), cv::Size(640, 480)}) {
    ASSERT_TRUE(tensor.write(cv::Mat(size, CV_8UC3, cv::Scalar::all(255)), values));
    ASSERT_EQ(values.size(), 2 * kInput.size());
    EXPECT_FLOAT_EQ(*std::min_element(values.begin(), values.end()), 1.0F);
  }
}

TEST(Regions, APictureTooSmallForItsBoxesIsRefusedAndTheNextGoodOneTaken) {
  FrameTensor tensor(std::vector<PixelBox>{{30, 30, 10, 10}}, kInput);
  std::vector<float> values;
  EXPECT_FALSE(tensor.write(cv::Mat(20, 20, CV_8UC3, cv::Scalar::all(1)), values));
  EXPECT_TRUE(tensor.write(cv::Mat(40, 40, CV_8UC3, cv::Scalar::all(1)), values));
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

// --- Synthetic ----------------------------------------------------------------------------------

constexpr profiles::InputShape kNative{.width = kImageSide, .height = kImageSide, .channels = 3};

std::unique_ptr<FrameSource> synthetic(std::uint64_t seed, const std::vector<std::string>& labels,
                                       const profiles::InputShape& input = kNative) {
  auto result = open_source(SyntheticSource{"vehicles", seed}, Grid{2, 2}, input, labels);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : to_string(result.errors()));
  return std::move(result).value();
}

const std::vector<std::string>& vehicle_labels() {
  static const std::vector<std::string> labels = ImageGenerator::find("vehicles")->labels();
  return labels;
}

TEST(Synthetic, TheSameSeedGivesTheSameFramesWhateverTheTime) {
  const auto one = synthetic(7, vehicle_labels());
  const auto other = synthetic(7, vehicle_labels());
  Frame a;
  Frame b;
  for (int tick = 0; tick < 5; ++tick) {
    ASSERT_TRUE(one->next(to_duration(Seconds(tick / 30.0)), a));
    ASSERT_TRUE(other->next(to_duration(Seconds(tick / 3.0)), b));
    EXPECT_EQ(a.input, b.input);
    EXPECT_EQ(a.labels, b.labels);
  }
}

TEST(Synthetic, AnotherSeedGivesOtherFrames) {
  Frame a;
  Frame b;
  ASSERT_TRUE(synthetic(7, vehicle_labels())->next({}, a));
  ASSERT_TRUE(synthetic(8, vehicle_labels())->next({}, b));
  EXPECT_NE(a.input, b.input);
}

TEST(Synthetic, EveryRegionHasItsLabelAndNoImageComesTwiceWithinAPass) {
  const auto source = synthetic(1, vehicle_labels());
  const std::size_t images = source->labelled_images().value();
  Frame first;
  ASSERT_TRUE(source->next({}, first));
  ASSERT_EQ(first.labels.size(), 4U);
  ASSERT_EQ(first.input.size(), 4 * kNative.size());
  Frame frame;
  for (std::size_t drawn = 4; drawn < images; drawn += 4) {
    ASSERT_TRUE(source->next({}, frame));
    ASSERT_NE(frame.input, first.input);
  }
  ASSERT_TRUE(source->next({}, frame));
  EXPECT_EQ(frame.input, first.input);
}

TEST(Synthetic, LabelsAreTheNetworksOwnNumbers) {
  std::vector<std::string> reversed(vehicle_labels().rbegin(), vehicle_labels().rend());
  reversed.insert(reversed.begin(), "something else");
  const auto one = synthetic(3, vehicle_labels());
  const auto other = synthetic(3, reversed);
  Frame a;
  Frame b;
  for (int tick = 0; tick < 20; ++tick) {
    ASSERT_TRUE(one->next({}, a));
    ASSERT_TRUE(other->next({}, b));
    for (std::size_t region = 0; region < a.labels.size(); ++region) {
      EXPECT_EQ(vehicle_labels()[static_cast<std::size_t>(a.labels[region])],
                reversed[static_cast<std::size_t>(b.labels[region])]);
    }
  }
}

TEST(Synthetic, ImagesAreResizedToTheNetworksInput) {
  Frame frame;
  ASSERT_TRUE(synthetic(1, vehicle_labels(), kInput)->next({}, frame));
  EXPECT_EQ(frame.input.size(), 4 * kInput.size());
}

TEST(Synthetic, AnUnknownDataSetOrAMissingLabelDoesNotOpen) {
  const auto unknown = open_source(SyntheticSource{"dragons", 1}, WholeFrame{}, kNative, {});
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.errors()[0].hint, "known: defects, glyphs, parking, signs, vehicles");
  const auto missing = open_source(SyntheticSource{"vehicles", 1}, WholeFrame{}, kNative, {"bus", "car"});
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.errors().size(), vehicle_labels().size() - 2);
}

TEST(Sources, RefuseANetworkThatDoesNotTakeThreeChannels) {
  const auto result = open_source(SyntheticSource{"vehicles", 1}, WholeFrame{},
                                  {.width = 8, .height = 8, .channels = 1}, vehicle_labels());
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.errors()[0].where, "input");
}

}  // namespace
}  // namespace saccade::runtime
