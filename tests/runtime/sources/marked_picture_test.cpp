// The picture that people are shown: sides of the source's frame, boxes where they belong.
#include "runtime/sources/marked_picture.hpp"

#include <gtest/gtest.h>

#include <opencv2/imgcodecs.hpp>

namespace saccade::runtime {
namespace {

// Gray, of a frame that is `reduced` times as large.
Picture gray_picture(int width, int height, int reduced) {
  Picture picture;
  picture.resize(width, height);
  picture.frame_width = width * reduced;
  picture.frame_height = height * reduced;
  std::fill(picture.pixels.begin(), picture.pixels.end(), std::uint8_t{128});
  return picture;
}

cv::Mat read(const std::string& jpeg) {
  return cv::imdecode(std::vector<std::uint8_t>(jpeg.begin(), jpeg.end()), cv::IMREAD_COLOR);
}
// How far a pixel is from gray.
double colourful(const cv::Mat& picture, int x, int y) {
  const cv::Vec3b pixel = picture.at<cv::Vec3b>(y, x);
  return std::max({pixel[0], pixel[1], pixel[2]}) - std::min({pixel[0], pixel[1], pixel[2]});
}

TEST(MarkedPicture, HasTheSidesOfTheFrameAndCanBeRead) {
  EXPECT_EQ(read(marked_picture(gray_picture(320, 180, 6), {})).size(), cv::Size(640, 360)) << "enlarged";
  EXPECT_EQ(read(marked_picture(gray_picture(800, 600, 1), {})).size(), cv::Size(800, 600));
  EXPECT_EQ(read(marked_picture(gray_picture(96, 192, 2), {})).size(), cv::Size(320, 640));
  EXPECT_EQ(marked_picture(Picture{}, {}), "");
}

TEST(MarkedPicture, BoxesLieWhereTheFrameHasThem) {
  // In pixels of the frame of 1920 x 1080; the picture has a third of that.
  const std::vector<Mark> marks = {{{300.0F, 300.0F, 600.0F, 450.0F}, "person", 0.87}};
  const cv::Mat marked = read(marked_picture(gray_picture(320, 180, 6), marks));
  for (const auto& [x, y] : {std::pair{100, 200}, std::pair{300, 200}, std::pair{150, 250}})
    EXPECT_GT(colourful(marked, x, y), 40.0) << "its sides, at " << x << ", " << y;
  EXPECT_GT(colourful(marked, 104, 104), 40.0) << "its label, in its corner";
  for (const auto& [x, y] :
       {std::pair{200, 180}, std::pair{50, 200}, std::pair{350, 200}, std::pair{150, 300}})
    EXPECT_LT(colourful(marked, x, y), 10.0) << "the picture, at " << x << ", " << y;
}

TEST(MarkedPicture, TheLabelOfASmallBoxLiesAboveIt) {
  const std::vector<Mark> marks = {{{300.0F, 300.0F, 90.0F, 90.0F}, "person", 0.87}};
  const cv::Mat marked = read(marked_picture(gray_picture(320, 180, 6), marks));
  EXPECT_GT(colourful(marked, 102, 92), 40.0);
  EXPECT_LT(colourful(marked, 115, 115), 10.0) << "what is in it can be seen";
}

TEST(MarkedPicture, BoxesBeyondTheFrameAreCutAndColoursAreThoseOfThePicture) {
  Picture picture = gray_picture(640, 480, 1);
  picture.order = profiles::ColorOrder::rgb;
  for (std::size_t i = 0; i < picture.pixels.size(); i += 3) picture.pixels[i] = 255;  // red
  const std::vector<Mark> marks = {{{-50.0F, -50.0F, 5000.0F, 5000.0F}, "car", 1.0},
                                   {{900.0F, 10.0F, 20.0F, 20.0F}, "outside", 1.0},
                                   {{10.0F, 10.0F, 0.0F, 0.0F}, "nothing", 1.0}};
  const cv::Vec3b middle = read(marked_picture(picture, marks)).at<cv::Vec3b>(240, 320);
  EXPECT_GT(middle[2], 230);
  EXPECT_LT(middle[0], 150);
}

}  // namespace
}  // namespace saccade::runtime
