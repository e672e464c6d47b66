// A video file that loops and is away when it begins again. The media time is the test's.
#include "runtime/sources/file_source.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <opencv2/videoio.hpp>

#include "tests/support/temporary_folder.hpp"

namespace saccade::runtime::file_source_test {
namespace {

TEST(FileSource, ALoopingFileThatIsAwayIsPlayedOnOnceItIsBack) {
  const test::TemporaryFolder folder;
  const std::filesystem::path file = folder / "a.avi";
  const std::filesystem::path aside = folder / "aside.avi";
  {
    const cv::Size size(64, 48);
    cv::VideoWriter writer(file.string(), cv::VideoWriter::fourcc('M', 'J', 'P', 'G'), 10.0, size);
    ASSERT_TRUE(writer.isOpened());
    for (int i = 0; i < 3; ++i) writer.write(cv::Mat(size, CV_8UC3, cv::Scalar::all(100)));
  }
  const NetworkInputs inputs = inputs_of(profiles::InputShape{.width = 16, .height = 12, .channels = 3});
  const auto source = open_source(VideoSource{file.string(), true}, WholeFrame{}, inputs, {});
  ASSERT_TRUE(source.ok()) << to_string(source.errors());
  Frame frame;
  const auto next_at = [&](double media_time) {
    return source.value()->next(to_duration(Seconds(media_time)), frame);
  };
  for (const double at : {0.0, 0.1, 0.2}) ASSERT_TRUE(next_at(at)) << at;
  std::filesystem::rename(file, aside);
  EXPECT_FALSE(next_at(0.3));
  const std::string fault = source.value()->fault().value_or("");
  EXPECT_NE(fault.find(file.string() + " cannot be played from its start again"), std::string::npos) << fault;
  std::filesystem::rename(aside, file);
  EXPECT_FALSE(next_at(0.4)) << "it is tried again after a pause";
  EXPECT_EQ(source.value()->fault(), fault);
  EXPECT_TRUE(next_at(3.0));
  EXPECT_FALSE(source.value()->fault()) << *source.value()->fault();
  EXPECT_TRUE(next_at(3.1));
}

}  // namespace
}  // namespace saccade::runtime::file_source_test
