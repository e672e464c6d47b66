#include "runtime/sources/frame_picture.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <sstream>
#include <string>

#include "runtime/frames/capture_facts.hpp"
#include "runtime/pictures/resizing.hpp"
#include "vision/decode/placement.hpp"

namespace saccade::runtime {
namespace {

std::string text(const PixelBox& box) {
  std::ostringstream out;
  out << '[' << box[0] << ", " << box[1] << ", " << box[2] << ", " << box[3] << ']';
  return out.str();
}

std::string text(int width, int height) {
  return std::to_string(width) + " x " + std::to_string(height) + " pixels";
}

bool inside(const PixelBox& box, int width, int height) {
  // Differences, not sums: x + width may overflow.
  return box[0] >= 0 && box[1] >= 0 && box[2] > 0 && box[3] > 0 && box[2] <= width - box[0] &&
         box[3] <= height - box[1];
}

// The box in the reduced picture, rounded outwards.
PixelBox reduced_box(const PixelBox& box, cv::Size from, cv::Size to) {
  const auto down = [](int edge, int whole, int reduced) {
    return static_cast<int>(static_cast<std::int64_t>(edge) * reduced / whole);
  };
  const auto up = [](int edge, int whole, int reduced) {
    return static_cast<int>((static_cast<std::int64_t>(edge) * reduced + whole - 1) / whole);
  };
  const int left = down(box[0], from.width, to.width);
  const int top = down(box[1], from.height, to.height);
  return {left, top, up(box[0] + box[2], from.width, to.width) - left,
          up(box[1] + box[3], from.height, to.height) - top};
}

}  // namespace

Result<std::vector<PixelBox>> region_boxes(const Regions& regions, int width, int height) {
  if (const Grid* grid = std::get_if<Grid>(&regions)) {
    if (grid->columns < 1 || grid->rows < 1 || grid->columns > width || grid->rows > height) {
      return Error{"regions",
                   "a grid of " + std::to_string(grid->columns) + " x " + std::to_string(grid->rows) +
                       " does not divide a frame of " + text(width, height),
                   "use fewer columns or rows"};
    }
    std::vector<PixelBox> boxes;
    for (int row = 0; row < grid->rows; ++row) {
      const int top = row * height / grid->rows;
      const int bottom = (row + 1) * height / grid->rows;
      for (int column = 0; column < grid->columns; ++column) {
        const int left = column * width / grid->columns;
        const int right = (column + 1) * width / grid->columns;
        boxes.push_back({left, top, right - left, bottom - top});
      }
    }
    return boxes;
  }
  if (const auto* given = std::get_if<std::vector<PixelBox>>(&regions)) {
    Errors errors;
    for (std::size_t i = 0; i < given->size(); ++i) {
      if (inside((*given)[i], width, height)) continue;
      errors.push_back({"regions/" + std::to_string(i),
                        "the box " + text((*given)[i]) + " is not inside the frame of " + text(width, height),
                        "boxes are [x, y, width, height] in pixels of the source's own frame"});
    }
    if (!errors.empty()) return errors;
    return *given;
  }
  return std::vector<PixelBox>{{0, 0, width, height}};
}

cv::Size least_size(cv::Size size, const std::vector<PixelBox>& boxes, const NetworkInputs& inputs) {
  // Of `whole` pixels, of which `part` become `wanted`; rounded up.
  const auto least = [](int wanted, int whole, int part) {
    const std::int64_t product = static_cast<std::int64_t>(wanted) * whole;
    return static_cast<int>(std::min<std::int64_t>((product + part - 1) / part, whole));
  };
  cv::Size reduced(1, 1);
  for (const PixelBox& box : boxes) {
    for (const profiles::PictureInput& input : inputs.variants) {
      const vision::Box region{0.0F, 0.0F, static_cast<float>(box[2]), static_cast<float>(box[3])};
      const vision::PixelRect shown = vision::place(input, region, {size.width, size.height}).picture;
      reduced.width = std::max(reduced.width, least(shown.width, size.width, box[2]));
      reduced.height = std::max(reduced.height, least(shown.height, size.height, box[3]));
    }
  }
  return inputs.variants.empty() ? size : reduced;
}

std::string advice_on(cv::Size sent, cv::Size reduced) {
  if (!sends_too_much({sent.width, sent.height}, {reduced.width, reduced.height})) return {};
  return "sends pictures of " + text(sent.width, sent.height) + ", reduced to " +
         text(reduced.width, reduced.height) + ": the camera's sub-stream costs less to decode";
}

int sheet_columns(const Regions& regions, int count) {
  if (const Grid* grid = std::get_if<Grid>(&regions)) return grid->columns;
  return static_cast<int>(std::ceil(std::sqrt(count)));
}

NetworkInputs inputs_of(const profiles::ProfileSet& set) {
  NetworkInputs inputs;
  inputs.channels = set.input.channels;
  for (const profiles::Variant& variant : set.variants) {
    profiles::PictureInput input = profiles::input_of(set, variant);
    if (std::find(inputs.variants.begin(), inputs.variants.end(), input) == inputs.variants.end())
      inputs.variants.push_back(std::move(input));
  }
  return inputs;
}

NetworkInputs inputs_of(const profiles::InputShape& shape) {
  return {shape.channels, {profiles::plain_interface(shape).input}};
}

FramePicture::FramePicture(Regions regions, NetworkInputs inputs)
    : regions_(std::move(regions)), inputs_(std::move(inputs)) {}

Status FramePicture::fit(int width, int height) const {
  const auto boxes = region_boxes(regions_, width, height);
  if (!boxes.ok()) return boxes.errors();
  return Done{};
}

std::size_t FramePicture::bytes(int width, int height) const {
  const auto boxes = region_boxes(regions_, width, height);
  if (!boxes.ok()) return 0;
  const cv::Size reduced = least_size({width, height}, boxes.value(), inputs_);
  return Picture::bytes(reduced.width, reduced.height);
}

cv::Size FramePicture::reduced(cv::Size size) const {
  const auto boxes = region_boxes(regions_, size.width, size.height);
  return boxes.ok() ? least_size(size, boxes.value(), inputs_) : size;
}

profiles::Filter FramePicture::filter() const {
  return inputs_.variants.empty() ? profiles::Filter::linear : inputs_.variants.front().filter;
}

bool FramePicture::write(const cv::Mat& bgr, cv::Size of, Frame& frame) {
  if (of != size_) {
    size_ = of;
    auto boxes = region_boxes(regions_, size_.width, size_.height);
    boxes_ = boxes.ok() ? std::move(boxes).value() : std::vector<PixelBox>{};
    reduced_ = least_size(size_, boxes_, inputs_);
    for (PixelBox& box : boxes_) box = reduced_box(box, size_, reduced_);
  }
  if (boxes_.empty()) return false;
  Picture& picture = renew(frame.picture);
  picture.resize(reduced_.width, reduced_.height);
  picture.frame_width = size_.width;
  picture.frame_height = size_.height;
  picture.order = profiles::ColorOrder::bgr;
  cv::Mat pixels = view_of(picture);
  if (reduced_ == bgr.size()) {
    bgr.copyTo(pixels);
  } else {
    resize_to(bgr, reduced_, filter(), pixels);
  }
  frame.regions = boxes_;
  frame.input.clear();
  return true;
}

}  // namespace saccade::runtime
