// What a network is given: every combination of layout, type, resize, filter and order of colours against an
// oracle that is written from the model interface, pixel by pixel. OpenCV's resize is the definition of the
// filters, so the oracle calls it; placement, padding, order and normalisation are its own.
#include "runtime/pictures/preparer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <opencv2/imgproc.hpp>
#include <random>

#include "images/image_generator.hpp"
#include "profiles/profile_set.hpp"
#include "runtime/pictures/half.hpp"
#include "runtime/pictures/resizing.hpp"

namespace saccade::runtime {
namespace {

using profiles::Align;
using profiles::ColorOrder;
using profiles::ElementType;
using profiles::Filter;
using profiles::PictureInput;
using profiles::Resize;
using profiles::TensorLayout;

Picture noise(int width, int height, ColorOrder order, std::uint32_t seed) {
  Picture picture;
  picture.resize(width, height);
  picture.order = order;
  std::mt19937 dice(seed);
  for (std::uint8_t& value : picture.pixels) value = static_cast<std::uint8_t>(dice());
  return picture;
}

// A half's value, from its definition.
double value_of_half(std::uint16_t half) {
  const int exponent = half >> 10 & 31;
  const int fraction = half & 1023;
  const double magnitude =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return (half & 0x8000) != 0 ? -magnitude : magnitude;
}

// The oracle's placement, in whole numbers.
struct Oracle {
  int left = 0, top = 0, width = 0, height = 0;
};
Oracle placed(const PictureInput& input, int w, int h) {
  if (input.resize == Resize::stretch) return {0, 0, input.width, input.height};
  const auto rounded = [](int side, int wanted, int given) {  // side * wanted / given, halves up
    return std::max(1, (2 * side * wanted + given) / (2 * given));
  };
  const bool wide = input.width * h <= input.height * w;  // W / w <= H / h
  const bool by_width = wide == (input.resize == Resize::letterbox);
  Oracle oracle;
  oracle.width = by_width ? input.width : rounded(w, input.height, h);
  oracle.height = by_width ? rounded(h, input.width, w) : input.height;
  if (input.resize == Resize::letterbox && input.align == Align::top_left) return oracle;
  oracle.left = static_cast<int>(std::floor((input.width - oracle.width) / 2.0));
  oracle.top = static_cast<int>(std::floor((input.height - oracle.height) / 2.0));
  return oracle;
}

int interpolation_of(Filter filter, bool shrinks) {
  if (filter == Filter::nearest) return cv::INTER_NEAREST;
  if (filter == Filter::cubic) return cv::INTER_CUBIC;
  return filter == Filter::area && shrinks ? cv::INTER_AREA : cv::INTER_LINEAR;
}

// The value of channel c at (x, y) of the tensor, by definition.
class Expected {
 public:
  Expected(const PictureInput& input, const Picture& picture, const PixelBox& box)
      : input_(input), oracle_(placed(input, box[2], box[3])) {
    cv::Mat region(box[3], box[2], CV_8UC3);
    for (int y = 0; y < box[3]; ++y) {
      for (int x = 0; x < box[2]; ++x) {
        for (int c = 0; c < 3; ++c) {
          const int at = 3 * ((box[1] + y) * picture.width + box[0] + x) + c;
          region.at<cv::Vec3b>(y, x)[c] = picture.pixels[static_cast<std::size_t>(at)];
        }
      }
    }
    const cv::Size size(oracle_.width, oracle_.height);
    const bool shrinks = box[2] > size.width && box[3] > size.height;
    cv::resize(region, resized_, size, 0, 0, interpolation_of(input.filter, shrinks));
    if (input.color == ColorOrder::gray)
      cv::cvtColor(resized_, gray_,
                   picture.order == ColorOrder::rgb ? cv::COLOR_RGB2GRAY : cv::COLOR_BGR2GRAY);
    swapped_ = input.color != picture.order;
  }
  [[nodiscard]] double at(int x, int y, int c) const {
    const int inside_x = x - oracle_.left;
    const int inside_y = y - oracle_.top;
    const auto channel = static_cast<std::size_t>(c);
    double pixel = input_.pad[channel];
    if (inside_x >= 0 && inside_y >= 0 && inside_x < resized_.cols && inside_y < resized_.rows) {
      pixel = gray_.empty() ? resized_.at<cv::Vec3b>(inside_y, inside_x)[swapped_ ? 2 - c : c]
                            : gray_.at<std::uint8_t>(inside_y, inside_x);
    }
    return (pixel * input_.scale - input_.mean[channel]) / input_.std[channel];
  }

 private:
  const PictureInput& input_;
  Oracle oracle_;
  cv::Mat resized_;
  cv::Mat gray_;
  bool swapped_ = false;
};

void expect_as_defined(const PictureInput& input, const Picture& picture, const PixelBox& box) {
  SCOPED_TRACE(testing::Message() << input.width << " x " << input.height << " of " << box[2] << " x "
                                  << box[3] << ", resize " << static_cast<int>(input.resize) << ", filter "
                                  << static_cast<int>(input.filter) << ", type "
                                  << static_cast<int>(*input.type) << ", layout "
                                  << static_cast<int>(*input.layout) << ", color "
                                  << static_cast<int>(input.color));
  Preparer preparer(input);
  std::vector<std::byte> tensor(preparer.bytes(), std::byte{0xA5});
  preparer.write(picture, box, tensor);
  const Expected expected(input, picture, box);
  const int channels = profiles::channels_of(input.color);
  ASSERT_EQ(tensor.size(),
            static_cast<std::size_t>(channels * input.width * input.height) * size_of(*input.type));
  int wrong = 0;
  for (int c = 0; c < channels; ++c) {
    for (int y = 0; y < input.height; ++y) {
      for (int x = 0; x < input.width; ++x) {
        const int at = input.layout == TensorLayout::nchw ? (c * input.height + y) * input.width + x
                                                          : (y * input.width + x) * channels + c;
        const std::byte* const element = tensor.data() + static_cast<std::size_t>(at) * size_of(*input.type);
        const double wanted = expected.at(x, y, c);
        bool good = false;
        if (input.type == ElementType::fp32) {
          float found = 0.0F;
          std::memcpy(&found, element, sizeof found);
          good = std::abs(found - wanted) <= 1e-6;
        } else if (input.type == ElementType::fp16) {
          std::uint16_t found = 0;
          std::memcpy(&found, element, sizeof found);
          // The nearest half: half a step of its ten bits, and a float's rounding before it.
          good = std::abs(value_of_half(found) - wanted) <= std::max(std::abs(wanted) * 0x1.001p-11, 0x1p-25);
        } else {
          good = static_cast<double>(*element) == wanted;
        }
        wrong += good ? 0 : 1;
      }
    }
  }
  EXPECT_EQ(wrong, 0);
}

TEST(Preparer, IsWhatTheInterfaceSaysInEveryCombination) {
  const Picture bgr = noise(37, 23, ColorOrder::bgr, 1);
  const Picture rgb = noise(37, 23, ColorOrder::rgb, 2);
  int combinations = 0;
  for (const TensorLayout layout : {TensorLayout::nchw, TensorLayout::nhwc}) {
    for (const ElementType type : {ElementType::fp32, ElementType::fp16, ElementType::uint8}) {
      for (const Resize resize : {Resize::stretch, Resize::letterbox, Resize::cover}) {
        for (const Filter filter : {Filter::linear, Filter::area, Filter::nearest, Filter::cubic}) {
          for (const ColorOrder color : {ColorOrder::rgb, ColorOrder::bgr, ColorOrder::gray}) {
            for (const auto& [width, height] : {std::pair{13, 7}, {7, 15}, {31, 29}, {65, 41}, {1, 1}}) {
              PictureInput input;
              input.layout = layout;
              input.type = type;
              input.resize = resize;
              input.filter = filter;
              input.color = color;
              input.width = width;
              input.height = height;
              input.align = combinations % 2 == 0 ? Align::center : Align::top_left;
              input.pad = {114, 7, 250};
              if (type == ElementType::uint8) {
                input.scale = 1.0;
              } else if (combinations % 3 == 0) {
                input.mean = {0.485, 0.456, 0.406};
                input.std = {0.229, 0.224, 0.225};
              } else if (combinations % 3 == 1) {
                input.scale = 2.0 / 255.0;
                input.mean = {1.0, 1.0, 1.0};
              }
              expect_as_defined(input, combinations % 4 < 2 ? bgr : rgb, {0, 0, 37, 23});
              expect_as_defined(input, combinations % 4 < 2 ? rgb : bgr, {3, 5, 19, 11});
              ++combinations;
            }
          }
        }
      }
    }
  }
  EXPECT_EQ(combinations, 2 * 3 * 3 * 4 * 3 * 5);
}

TEST(Preparer, ALetterboxLiesAsInTheSourcesFrameAlsoWhenThePictureWasReduced) {
  Picture reduced = noise(32, 18, ColorOrder::rgb, 3);
  reduced.frame_width = 1920;
  reduced.frame_height = 1080;
  PictureInput input;
  input.resize = Resize::letterbox;
  input.width = input.height = 32;
  const vision::Placement whole = placement_of(input, reduced, reduced.whole());
  EXPECT_EQ(whole.picture, (vision::PixelRect{0, 7, 32, 18}));
  EXPECT_EQ(whole.region, (vision::Box{0.0F, 0.0F, 1920.0F, 1080.0F}));
  const vision::Placement part = placement_of(input, reduced, {16, 0, 16, 18}, 4);
  EXPECT_EQ(part.region, (vision::Box{960.0F, 0.0F, 960.0F, 1080.0F}));
  EXPECT_EQ(part.number, 4);
  EXPECT_EQ(part.picture, (vision::PixelRect{2, 0, 28, 32}));
}

TEST(Preparer, WritesWhateverWasInTheTensorBefore) {
  PictureInput input;
  input.resize = Resize::letterbox;
  input.width = 24;
  input.height = 16;
  Preparer preparer(input);
  const Picture wide = noise(40, 10, ColorOrder::bgr, 4);
  const Picture high = noise(10, 40, ColorOrder::bgr, 5);
  std::vector<std::byte> fresh(preparer.bytes());
  std::vector<std::byte> used(preparer.bytes());
  preparer.write(high, high.whole(), used);
  preparer.write(wide, wide.whole(), used);
  preparer.write(wide, wide.whole(), fresh);
  EXPECT_EQ(used, fresh);
}

// How frames became tensors before they carried pictures, on the capture thread: it is what sets of the
// format saccade-profiles/1 were trained and measured on.
std::vector<float> as_it_was(const cv::Mat& bgr, const profiles::InputShape& input) {
  cv::Mat resized = bgr;
  const cv::Size wanted(input.width, input.height);
  if (bgr.size() != wanted) {
    const bool shrinks = bgr.cols > input.width && bgr.rows > input.height;
    cv::resize(bgr, resized, wanted, 0.0, 0.0, shrinks ? cv::INTER_AREA : cv::INTER_LINEAR);
  }
  std::vector<float> planes(input.size());
  for (std::size_t c = 0; c < 3; ++c) {
    for (int y = 0; y < input.height; ++y) {
      for (int x = 0; x < input.width; ++x) {
        const std::size_t at = (c * static_cast<std::size_t>(input.height) + static_cast<std::size_t>(y)) *
                                   static_cast<std::size_t>(input.width) +
                               static_cast<std::size_t>(x);
        planes[at] = static_cast<float>(resized.at<cv::Vec3b>(y, x)[2 - static_cast<int>(c)]) / 255.0F;
      }
    }
  }
  return planes;
}

std::vector<float> prepared(const cv::Mat& bgr, const profiles::InputShape& shape) {
  Picture picture;
  picture.resize(bgr.cols, bgr.rows);
  bgr.copyTo(view_of(picture));
  Preparer preparer(profiles::plain_interface(shape).input);
  std::vector<float> planes(shape.size());
  preparer.write(picture, picture.whole(), std::as_writable_bytes(std::span(planes)));
  return planes;
}

TEST(Preparer, SetsOfTheFirstFormatGetTheSameNumbersAsBeforeToTheLastBit) {
  for (const std::string& name : images::ImageGenerator::names()) {
    const auto generator = images::ImageGenerator::find(name);
    for (std::uint64_t i = 0; i < 100; ++i) {
      const cv::Mat image = generator->make(images::Split::held_out, i).bgr;
      for (const profiles::InputShape& shape :
           {profiles::InputShape{64, 64, 3}, {32, 48, 3}, {96, 96, 3}, {80, 32, 3}})
        ASSERT_EQ(prepared(image, shape), as_it_was(image, shape)) << name << " " << i << " " << shape.width;
    }
  }
}

TEST(Preparer, NumbersOfAClientAreWhatAPictureOfThemWouldBe) {
  const Picture picture = noise(9, 5, ColorOrder::rgb, 6);
  std::vector<float> sent;
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t at = 0; at < 9 * 5; ++at)
      sent.push_back(static_cast<float>(picture.pixels[3 * at + c]) / 255.0F);
  }
  for (const TensorLayout layout : {TensorLayout::nchw, TensorLayout::nhwc}) {
    for (const ColorOrder color : {ColorOrder::rgb, ColorOrder::bgr}) {
      for (const ElementType type : {ElementType::fp32, ElementType::fp16, ElementType::uint8}) {
        PictureInput input;
        input.layout = layout;
        input.color = color;
        input.type = type;
        input.width = 9;
        input.height = 5;
        if (type == ElementType::uint8) input.scale = 1.0;
        Preparer preparer(input);
        std::vector<std::byte> of_picture(preparer.bytes());
        std::vector<std::byte> of_numbers(preparer.bytes());
        preparer.write(picture, picture.whole(), of_picture);
        preparer.write(sent, of_numbers);
        if (type == ElementType::fp32) {
          for (std::size_t i = 0; i < sent.size(); ++i) {
            float a = 0.0F;
            float b = 0.0F;
            std::memcpy(&a, of_picture.data() + 4 * i, 4);
            std::memcpy(&b, of_numbers.data() + 4 * i, 4);
            ASSERT_NEAR(a, b, 1e-6);
          }
        } else if (type == ElementType::uint8) {
          EXPECT_EQ(of_picture, of_numbers);
        }
      }
    }
  }
}

TEST(Preparer, ARegionTooNarrowToCoverTheInputIsRefused) {
  PictureInput input;
  input.resize = Resize::cover;
  input.width = input.height = 640;
  Preparer preparer(input);
  const Picture line = noise(2000, 1, ColorOrder::bgr, 7);
  std::vector<std::byte> tensor(preparer.bytes());
  EXPECT_THROW(preparer.write(line, line.whole(), tensor), std::exception);
}

TEST(Half, EveryOneComesBackAndFloatsGoToTheNearest) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    if ((half & 0x7C00) == 0x7C00 && (half & 0x3FF) != 0) continue;  // not a number
    ASSERT_EQ(to_half(from_half(half)), half);
    if ((half & 0x7C00) != 0x7C00) {
      ASSERT_EQ(from_half(half), value_of_half(half));
    }
  }
  std::mt19937 dice(8);
  for (int i = 0; i < 100'000; ++i) {
    const double number =
        std::ldexp(std::uniform_real_distribution(-1.0, 1.0)(dice), static_cast<int>(dice() % 40) - 24);
    const auto sent = static_cast<float>(number);
    const double found = value_of_half(to_half(sent));
    const auto other = [&](int step) {
      return value_of_half(static_cast<std::uint16_t>(to_half(sent) + step));
    };
    ASSERT_LE(std::abs(found - sent), std::abs(other(1) - sent)) << sent;
    if ((to_half(sent) & 0x7FFF) != 0) {
      ASSERT_LE(std::abs(found - sent), std::abs(other(-1) - sent)) << sent;
    }
  }
  EXPECT_EQ(to_half(1.0F + 0x1p-11F), to_half(1.0F)) << "halves to even";
  EXPECT_EQ(to_half(1.0F + 3 * 0x1p-11F), to_half(1.0F + 4 * 0x1p-11F));
  EXPECT_EQ(to_half(65504.0F), 0x7BFF);
  EXPECT_EQ(to_half(65520.0F), 0x7C00);
  EXPECT_EQ(to_half(-1e30F), 0xFC00);
}

TEST(Picture, IsWrittenAgainOnlyWhenNobodyElseHoldsIt) {
  PicturePtr picture;
  Picture& first = renew(picture);
  first.resize(4, 4);
  EXPECT_EQ(&renew(picture), &first);
  const PicturePtr seen = picture;
  EXPECT_NE(&renew(picture), &first);
  EXPECT_EQ(seen->width, 4);
}

}  // namespace
}  // namespace saccade::runtime
