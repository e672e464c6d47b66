// The filters of the model interface against their textbook definitions, which share nothing with OpenCV:
// pixel centres at halves, as the trainers' libraries have them. OpenCV rounds to whole values: one step of
// 255 is allowed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "runtime/pictures/preparer.hpp"

namespace saccade::runtime {
namespace {

using profiles::Filter;

constexpr int kWidth = 37;
constexpr int kHeight = 23;

Picture gray_noise() {
  Picture picture;
  picture.resize(kWidth, kHeight);
  picture.order = profiles::ColorOrder::rgb;
  std::mt19937 random(9);
  for (std::size_t at = 0; at < picture.pixels.size(); at += 3) {
    const auto value = static_cast<std::uint8_t>(random());
    std::fill_n(picture.pixels.begin() + static_cast<std::ptrdiff_t>(at), 3, value);
  }
  return picture;
}

// How much each of `given` pixels of a line counts in pixel `at` of `wanted`.
std::vector<double> weights(Filter filter, int at, int wanted, int given) {
  std::vector<double> all(static_cast<std::size_t>(given), 0.0);
  const auto add = [&](int place, double weight) {  // the border goes on outside
    all[static_cast<std::size_t>(std::clamp(place, 0, given - 1))] += weight;
  };
  const double scale = static_cast<double>(given) / wanted;
  if (filter == Filter::nearest) {
    add(at * given / wanted, 1.0);
  } else if (filter == Filter::area) {
    for (int place = 0; place < given; ++place)
      add(place,
          std::max(0.0, std::min(place + 1.0, (at + 1) * scale) - std::max<double>(place, at * scale)) /
              scale);
  } else {
    const double centre = (at + 0.5) * scale - 0.5;
    const int first = static_cast<int>(std::floor(centre));
    for (int place = first - 1; place <= first + 2; ++place) {
      const double far = std::abs(centre - place);
      constexpr double a = -0.75;  // of the cubic convolution, as OpenCV and PyTorch have it
      double weight = std::max(0.0, 1.0 - far);
      if (filter == Filter::cubic && far <= 1.0) weight = ((a + 2) * far - (a + 3)) * far * far + 1;
      if (filter == Filter::cubic && far > 1.0)
        weight = far < 2.0 ? a * (((far - 5) * far + 8) * far - 4) : 0.0;
      add(place, weight);
    }
  }
  return all;
}

void expect_filtered(Filter filter, int width, int height) {
  SCOPED_TRACE(testing::Message() << "filter " << static_cast<int>(filter) << " to " << width << " x "
                                  << height);
  const Picture picture = gray_noise();
  profiles::PictureInput input;
  input.filter = filter;
  input.width = width;
  input.height = height;
  input.scale = 1.0;
  Preparer preparer(input);
  std::vector<float> found(static_cast<std::size_t>(3 * width * height));
  preparer.write(picture, picture.whole(), std::as_writable_bytes(std::span(found)));
  double most = 0.0;
  for (int y = 0; y < height; ++y) {
    const std::vector<double> rows = weights(filter, y, height, kHeight);
    for (int x = 0; x < width; ++x) {
      const std::vector<double> columns = weights(filter, x, width, kWidth);
      double value = 0.0;
      for (std::size_t row = 0; row < rows.size(); ++row) {
        for (std::size_t column = 0; column < columns.size(); ++column)
          value += rows[row] * columns[column] * picture.pixels[3 * (row * kWidth + column)];
      }
      const float got = found[static_cast<std::size_t>(y * width + x)];
      most = std::max(most, std::abs(std::clamp(value, 0.0, 255.0) - static_cast<double>(got)));
    }
  }
  EXPECT_LE(most, filter == Filter::nearest ? 0.0 : 1.0);
}

TEST(Filters, AreThoseOfTheTextbooks) {
  for (const Filter filter : {Filter::linear, Filter::nearest, Filter::cubic}) {
    expect_filtered(filter, 13, 7);   // smaller
    expect_filtered(filter, 67, 41);  // larger
    expect_filtered(filter, 11, 31);  // narrower and higher
  }
  expect_filtered(Filter::area, 13, 7);  // to enlarge, area is linear
}

}  // namespace
}  // namespace saccade::runtime
