#include "runtime/pictures/preparer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <opencv2/imgproc.hpp>
#include <stdexcept>
#include <type_traits>

#include "base/check.hpp"
#include "profiles/profile_set.hpp"
#include "runtime/pictures/half.hpp"
#include "runtime/pictures/resizing.hpp"

namespace saccade::runtime {
namespace {

using profiles::ColorOrder;
using profiles::ElementType;
using profiles::PictureInput;
using profiles::TensorLayout;

// Pixels of a region resized for an input. Only with cover it is larger than the input.
constexpr std::int64_t kMostResized = 64'000'000;

struct Half {
  std::uint16_t bits;
};

template <class Element>
Element element_of(double value) {
  if constexpr (std::is_same_v<Element, float>) return static_cast<float>(value);
  if constexpr (std::is_same_v<Element, Half>) return Half{to_half(static_cast<float>(value))};
  if constexpr (std::is_same_v<Element, std::uint8_t>)
    return static_cast<std::uint8_t>(std::clamp(std::lround(value), 0L, 255L));
}

double normalised(const PictureInput& input, std::size_t channel, double pixel) {
  return (pixel * input.scale - input.mean[channel]) / input.std[channel];
}

// What each channel of the tensor makes of a pixel's value.
template <class Element>
using Tables = std::array<std::array<Element, 256>, 3>;

template <class Element>
Tables<Element> tables_of(const PictureInput& input) {
  Tables<Element> tables;
  for (std::size_t channel = 0; channel < 3; ++channel) {
    for (std::size_t value = 0; value < 256; ++value) {
      tables[channel][value] = element_of<Element>(normalised(input, channel, static_cast<double>(value)));
    }
  }
  return tables;
}

// Where elements lie in the tensor, counted in elements.
struct Strides {
  std::size_t column = 1;
  std::size_t row = 0;
  std::size_t channel = 0;
};

Strides strides_of(const PictureInput& input, std::size_t channels) {
  const auto width = static_cast<std::size_t>(input.width);
  const auto height = static_cast<std::size_t>(input.height);
  if (input.layout == TensorLayout::nhwc) return {channels, channels * width, 1};
  return {1, width, width * height};
}

// A rectangle of the tensor.
struct Part {
  std::size_t left;
  std::size_t top;
  std::size_t width;
  std::size_t height;
};

}  // namespace

std::size_t size_of(ElementType type) {
  switch (type) {
    case ElementType::fp16:
      return 2;
    case ElementType::uint8:
    case ElementType::int8:
      return 1;
    case ElementType::int64:
      return 8;
    case ElementType::fp32:
    case ElementType::int32:
      break;
  }
  return 4;
}

vision::Box region_in_frame(const Picture& picture, const PixelBox& box) {
  const double in_x = static_cast<double>(picture.frame_width) / picture.width;
  const double in_y = static_cast<double>(picture.frame_height) / picture.height;
  return {static_cast<float>(box[0] * in_x), static_cast<float>(box[1] * in_y),
          static_cast<float>(box[2] * in_x), static_cast<float>(box[3] * in_y)};
}

vision::Placement placement_of(const PictureInput& input, const Picture& picture, const PixelBox& box,
                               int number) {
  return vision::place(input, region_in_frame(picture, box), {picture.frame_width, picture.frame_height},
                       number);
}

class Preparer::Impl {
 public:
  explicit Impl(const PictureInput& input)
      : input_(input),
        type_(input.type.value_or(ElementType::fp32)),
        channels_(static_cast<std::size_t>(profiles::channels_of(input.color))),
        strides_(strides_of(input, channels_)) {
    SACCADE_CHECK(input.width > 0 && input.height > 0);
    SACCADE_CHECK(type_ == ElementType::fp32 || type_ == ElementType::fp16 || type_ == ElementType::uint8);
    if (type_ == ElementType::fp32) floats_ = std::make_unique<Tables<float>>(tables_of<float>(input));
    if (type_ == ElementType::fp16) halves_ = std::make_unique<Tables<Half>>(tables_of<Half>(input));
    if (type_ == ElementType::uint8)
      bytes_ = std::make_unique<Tables<std::uint8_t>>(tables_of<std::uint8_t>(input));
    // Plain numbers of 0 to 1 are what the network takes.
    plain_ = type_ == ElementType::fp32 && input.layout != TensorLayout::nhwc &&
             input.color != ColorOrder::bgr && input.scale == 1.0 / 255.0 &&
             input.mean == std::array{0.0, 0.0, 0.0} && input.std == std::array{1.0, 1.0, 1.0};
  }

  [[nodiscard]] std::size_t elements() const {
    return channels_ * static_cast<std::size_t>(input_.width) * static_cast<std::size_t>(input_.height);
  }
  [[nodiscard]] std::size_t bytes() const { return elements() * size_of(type_); }

  void write(const Picture& picture, const PixelBox& region, std::span<std::byte> tensor) {
    SACCADE_CHECK(tensor.size() == bytes());
    const vision::Placement placement = placement_of(input_, picture, region);
    cv::Mat shown = view_of(picture, region);
    const cv::Size size(placement.picture.width, placement.picture.height);
    if (static_cast<std::int64_t>(size.width) * size.height > kMostResized)
      throw std::length_error("a region that narrow cannot cover the input");
    if (shown.size() != size) {
      resize_to(shown, size, input_.filter, resized_);
      shown = resized_;
    }
    const bool rgb = picture.order == ColorOrder::rgb;
    if (input_.color == ColorOrder::gray) {
      cv::cvtColor(shown, gray_, rgb ? cv::COLOR_RGB2GRAY : cv::COLOR_BGR2GRAY);
      shown = gray_;
    }
    const vision::PixelRect& target = placement.target;
    const cv::Rect inside(target.left, target.top, target.width, target.height);
    shown = shown(inside - cv::Point(placement.picture.left, placement.picture.top));
    const bool swapped = channels_ == 3 && input_.color != picture.order;
    if (floats_) fill(*floats_, shown, inside, swapped, tensor);
    if (halves_) fill(*halves_, shown, inside, swapped, tensor);
    if (bytes_) fill(*bytes_, shown, inside, swapped, tensor);
  }

  void write(std::span<const float> planes, std::span<std::byte> tensor) const {
    SACCADE_CHECK(planes.size() == elements() && tensor.size() == bytes());
    if (plain_) {
      std::memcpy(tensor.data(), planes.data(), tensor.size());
      return;
    }
    if (floats_) convert<float>(planes, tensor);
    if (halves_) convert<Half>(planes, tensor);
    if (bytes_) convert<std::uint8_t>(planes, tensor);
  }

 private:
  template <class Element>
  void fill(const Tables<Element>& tables, const cv::Mat& shown, const cv::Rect& inside, bool swapped,
            std::span<std::byte> tensor) const {
    auto* const first = reinterpret_cast<Element*>(tensor.data());
    for (std::size_t channel = 0; channel < channels_; ++channel) {
      const std::array<Element, 256>& table = tables[channel];
      Element* const plane = first + channel * strides_.channel;
      pad(plane, table[input_.pad[channel]], inside);
      const std::size_t from = swapped ? 2 - channel : channel;
      for (int y = 0; y < shown.rows; ++y) {
        const std::uint8_t* pixel = shown.ptr<std::uint8_t>(y) + from;
        Element* element = plane + static_cast<std::size_t>(inside.y + y) * strides_.row +
                           static_cast<std::size_t>(inside.x) * strides_.column;
        for (int x = 0; x < shown.cols; ++x, pixel += channels_, element += strides_.column)
          *element = table[*pixel];
      }
    }
  }

  template <class Element>
  void pad(Element* plane, Element value, const cv::Rect& inside) const {
    const auto width = static_cast<std::size_t>(input_.width);
    const auto height = static_cast<std::size_t>(input_.height);
    const auto left = static_cast<std::size_t>(inside.x);
    const auto top = static_cast<std::size_t>(inside.y);
    const auto right = left + static_cast<std::size_t>(inside.width);
    const auto bottom = top + static_cast<std::size_t>(inside.height);
    for (const Part& part :
         {Part{0, 0, width, top}, Part{0, bottom, width, height - bottom}, Part{0, top, left, bottom - top},
          Part{right, top, width - right, bottom - top}}) {
      if (part.width == 0) continue;
      for (std::size_t y = part.top; y < part.top + part.height; ++y) {
        Element* element = plane + y * strides_.row + part.left * strides_.column;
        for (std::size_t x = 0; x < part.width; ++x, element += strides_.column) *element = value;
      }
    }
  }

  template <class Element>
  void convert(std::span<const float> planes, std::span<std::byte> tensor) const {
    auto* const first = reinterpret_cast<Element*>(tensor.data());
    const auto width = static_cast<std::size_t>(input_.width);
    const std::size_t plane = elements() / channels_;
    for (std::size_t channel = 0; channel < channels_; ++channel) {
      const std::size_t from = input_.color == ColorOrder::bgr ? 2 - channel : channel;
      for (std::size_t at = 0; at < plane; ++at) {
        const double pixel = 255.0 * static_cast<double>(planes[from * plane + at]);
        first[channel * strides_.channel + at / width * strides_.row + at % width * strides_.column] =
            element_of<Element>(normalised(input_, channel, pixel));
      }
    }
  }

  PictureInput input_;
  ElementType type_;
  std::size_t channels_;
  Strides strides_;
  bool plain_ = false;
  std::unique_ptr<Tables<float>> floats_;  // of these three the one of the input's type
  std::unique_ptr<Tables<Half>> halves_;
  std::unique_ptr<Tables<std::uint8_t>> bytes_;
  cv::Mat resized_;
  cv::Mat gray_;
};

Preparer::Preparer(const PictureInput& input) : impl_(std::make_unique<Impl>(input)) {}
Preparer::~Preparer() = default;
Preparer::Preparer(Preparer&&) noexcept = default;
Preparer& Preparer::operator=(Preparer&&) noexcept = default;
std::size_t Preparer::bytes() const { return impl_->bytes(); }
void Preparer::write(const Picture& picture, const PixelBox& region, std::span<std::byte> tensor) {
  impl_->write(picture, region, tensor);
}
void Preparer::write(std::span<const float> planes, std::span<std::byte> tensor) const {
  impl_->write(planes, tensor);
}

}  // namespace saccade::runtime
