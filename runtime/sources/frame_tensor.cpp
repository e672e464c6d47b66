#include "runtime/sources/frame_tensor.hpp"

#include <opencv2/imgproc.hpp>
#include <sstream>
#include <string>

namespace saccade::runtime {
namespace {

std::array<float, 256> make_unit_scale() {
  std::array<float, 256> scale{};
  for (std::size_t value = 0; value < scale.size(); ++value)
    scale[value] = static_cast<float>(value) / 255.0F;
  return scale;
}

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

void write_planes(const cv::Mat& bgr, float* planes) {
  static const std::array<float, 256> kUnitScale = make_unit_scale();
  const std::size_t plane = bgr.total();
  float* red = planes;
  float* green = planes + plane;
  float* blue = planes + 2 * plane;
  std::size_t at = 0;
  for (int y = 0; y < bgr.rows; ++y) {
    const std::uint8_t* pixel = bgr.ptr<std::uint8_t>(y);
    for (int x = 0; x < bgr.cols; ++x, pixel += 3, ++at) {
      blue[at] = kUnitScale[pixel[0]];
      green[at] = kUnitScale[pixel[1]];
      red[at] = kUnitScale[pixel[2]];
    }
  }
}

FrameTensor::FrameTensor(Regions regions, const profiles::InputShape& input)
    : regions_(std::move(regions)), input_(input) {
  SACCADE_CHECK(input_.channels == 3 && input_.width > 0 && input_.height > 0);
}

Status FrameTensor::fit(int width, int height) const {
  const auto boxes = region_boxes(regions_, width, height);
  if (!boxes.ok()) return boxes.errors();
  return Done{};
}

bool FrameTensor::write(const cv::Mat& bgr, std::vector<float>& tensor) {
  if (bgr.size() != size_) {
    size_ = bgr.size();
    auto boxes = region_boxes(regions_, size_.width, size_.height);
    boxes_ = boxes.ok() ? std::move(boxes).value() : std::vector<PixelBox>{};
  }
  if (boxes_.empty()) return false;
  const cv::Size wanted(input_.width, input_.height);
  tensor.resize(boxes_.size() * input_.size());
  float* out = tensor.data();
  for (const PixelBox& box : boxes_) {
    const cv::Mat region = bgr(cv::Rect(box[0], box[1], box[2], box[3]));
    if (region.size() == wanted) {
      write_planes(region, out);
    } else {
      // Area averaging where the region shrinks, so that fine structure does not alias.
      const bool shrinks = box[2] > input_.width && box[3] > input_.height;
      cv::resize(region, resized_, wanted, 0.0, 0.0, shrinks ? cv::INTER_AREA : cv::INTER_LINEAR);
      write_planes(resized_, out);
    }
    out += input_.size();
  }
  return true;
}

}  // namespace saccade::runtime
