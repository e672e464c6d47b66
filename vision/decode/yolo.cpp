#include "vision/decode/yolo.hpp"

#include <algorithm>
#include <utility>

namespace saccade::vision {
namespace {

using profiles::BoxForm;
using profiles::BoxUnit;
using profiles::YoloDecoder;
using profiles::YoloLayout;

constexpr int kLongestStride = 1024;
constexpr int kMostBins = 256;

bool has_cells(YoloLayout layout) { return layout == YoloLayout::yolox || layout == YoloLayout::gfl; }

bool has_fourth_level(YoloLayout layout, const std::vector<int>& strides) {
  return layout == YoloLayout::gfl && strides == YoloDecoder{}.strides;
}

std::string strides_text(YoloLayout layout, const std::vector<int>& strides) {
  std::string text;
  for (const int stride : strides) text += (text.empty() ? "" : ", ") + std::to_string(stride);
  return has_fourth_level(layout, strides) ? text + ", 64" : text;
}

// GFL heads have a fourth level unless the strides say otherwise, or the number of candidates does.
CellGrid grid_of(const YoloDecoder& spec, YoloLayout layout, PixelSize input, std::int64_t candidates) {
  CellGrid grid(spec.strides, input);
  if (!has_fourth_level(layout, spec.strides)) return grid;
  if (candidates >= 0 && candidates == grid.size()) return grid;
  return {{8, 16, 32, 64}, input};
}

bool sound_numbers(const YoloDecoder& spec, Complaints& complaints) {
  const auto bad_stride = [](int stride) { return stride < 1 || stride > kLongestStride; };
  if (spec.strides.empty() || std::any_of(spec.strides.begin(), spec.strides.end(), bad_stride))
    complaints.add("strides", "strides are at least one number from 1 to 1024",
                   "8, 16, 32 is what most heads have");
  if (spec.bins < 2 || spec.bins > kMostBins)
    complaints.add("bins", "the numbers per side are 2 to 256, not " + std::to_string(spec.bins));
  if (spec.extra < 0)
    complaints.add("extra", "the columns to pass over are 0 or more, not " + std::to_string(spec.extra));
  return complaints.none();
}

// All layouts that make C classes of a known shape.
std::vector<YoloLayout> layouts_of(const YoloDecoder& spec, const std::vector<std::int64_t>& shape,
                                   const Complaints& complaints) {
  std::vector<YoloLayout> fitting;
  for (const YoloLayout layout : {YoloLayout::anchors_last, YoloLayout::anchors_first, YoloLayout::objectness,
                                  YoloLayout::end_to_end, YoloLayout::yolox, YoloLayout::gfl}) {
    const bool last = layout == YoloLayout::anchors_last;
    if (shape[last ? 0 : 1] != columns_of(spec, layout, complaints.labels())) continue;
    if (has_cells(layout) && !fits(shape[0], grid_of(spec, layout, complaints.input(), shape[0]).size())) {
      continue;
    }
    fitting.push_back(layout);
  }
  return fitting;
}

std::string names_text(const std::vector<YoloLayout>& layouts) {
  std::string text;
  for (const YoloLayout layout : layouts)
    text += (text.empty() ? "" : ", ") + std::string(layout_name(layout));
  return text;
}

// Known columns that are not those of C classes, of a layout that was given or of any.
void complain_of_columns(const YoloDecoder& spec, YoloLayout layout, const OutputPort& port,
                         const std::vector<std::int64_t>& shape, const std::vector<YoloLayout>& fitting,
                         Complaints& complaints) {
  if (!fitting.empty()) {
    complaints.add("layout",
                   "the graph gives " + shape_text(*port.shape) + ", which is not " + layout_name(layout),
                   "with the labels given, " + names_text(fitting) + " fits");
    return;
  }
  const std::string hint = "; columns that are no classes (masks, key points) are `extra`";
  const bool row_wise = shape[1] >= 0 && (shape[0] < 0 || shape[1] < shape[0]);
  if (layout == YoloLayout::automatic)
    layout = row_wise ? YoloLayout::anchors_first : YoloLayout::anchors_last;
  if (layout == YoloLayout::end_to_end) {
    complaints.add("output",
                   "the graph gives " + shape_text(*port.shape) + "; a candidate of end_to_end has " +
                       std::to_string(columns_of(spec, layout, 0)) + " numbers",
                   "columns beyond box, score and class are `extra`");
    return;
  }
  const std::int64_t columns = shape[layout == YoloLayout::anchors_last ? 0 : 1];
  const std::int64_t found = columns - columns_of(spec, layout, 0);
  complaints.wrong_classes("output", port, found,
                           spec.layout == YoloLayout::automatic && row_wise
                               ? hint + "; with objectness there would be " +
                                     std::to_string(std::max<std::int64_t>(found - 1, 0)) + " classes"
                               : hint);
}

// The layout that was given or that the shape shows; none when it was complained about.
std::optional<YoloLayout> layout_of(const YoloDecoder& spec, const OutputPort* port,
                                    const std::vector<std::int64_t>& shape, Complaints& complaints) {
  const bool automatic = spec.layout == YoloLayout::automatic;
  if (shape.empty()) {
    if (!automatic) return spec.layout;
    complaints.add("layout", "the layout cannot be seen: the shape of the output is not known",
                   "name it: anchors_last, anchors_first, objectness, end_to_end, yolox or gfl");
    return std::nullopt;
  }
  const std::vector<YoloLayout> fitting = layouts_of(spec, shape, complaints);
  if (automatic && fitting.size() == 1) return fitting[0];
  if (automatic && fitting.size() > 1) {
    complaints.add("layout",
                   "the layout cannot be seen: the graph gives " + shape_text(*port->shape) + ", and with " +
                       std::to_string(complaints.labels()) + " labels that is any of " + names_text(fitting),
                   "name the one that the network was exported with");
    return std::nullopt;
  }
  const std::int64_t columns = shape[spec.layout == YoloLayout::anchors_last ? 0 : 1];
  if (!automatic && fits(columns, columns_of(spec, spec.layout, complaints.labels()))) return spec.layout;
  if (automatic && shape[0] < 0 && shape[1] < 0) {
    complaints.add("layout", "the layout cannot be seen: the graph gives " + shape_text(*port->shape),
                   "name it: anchors_last, anchors_first, objectness, end_to_end, yolox or gfl");
    return std::nullopt;
  }
  complain_of_columns(spec, spec.layout, *port, shape, fitting, complaints);
  return std::nullopt;
}

void check_boxes(const YoloDecoder& spec, YoloLayout layout, Complaints& complaints) {
  if (!has_cells(layout)) return;
  const std::string name = layout_name(layout);
  if (spec.box && (layout == YoloLayout::gfl || *spec.box != BoxForm::cxcywh))
    complaints.add("box", name + " has boxes of a form of its own", "leave `box` out");
  if (spec.unit != BoxUnit::input_pixels)
    complaints.add("unit", "the boxes of " + name + " are in pixels of the input", "leave `unit` out");
}

void check_cells(const YoloDecoder& spec, YoloLayout layout, const CellGrid& grid, const OutputPort* port,
                 const std::vector<std::int64_t>& shape, Complaints& complaints) {
  if (!has_cells(layout) || shape.empty() || fits(shape[0], grid.size())) return;
  const PixelSize input = complaints.input();
  complaints.add("strides",
                 "the graph gives " + shape_text(*port->shape) + ": " + std::to_string(shape[0]) +
                     " candidates; an input of " + std::to_string(input.width) + " x " +
                     std::to_string(input.height) + " has " + std::to_string(grid.size()) +
                     " cells with the strides " + strides_text(layout, spec.strides),
                 "give the strides of the network's levels, and the input size that it was exported with");
}

}  // namespace

CellGrid::CellGrid(const std::vector<int>& strides, PixelSize input) {
  for (const int stride : strides) {
    const std::int64_t columns = (static_cast<std::int64_t>(input.width) + stride - 1) / stride;
    const std::int64_t rows = (static_cast<std::int64_t>(input.height) + stride - 1) / stride;
    levels_.push_back({columns, columns * rows, static_cast<float>(stride)});
  }
}

std::int64_t CellGrid::size() const {
  std::int64_t cells = 0;
  for (const Level& level : levels_) cells += level.cells;
  return cells;
}

CellGrid::Cell CellGrid::at(std::size_t index) const {
  auto left = static_cast<std::int64_t>(index);
  for (const Level& level : levels_) {
    if (left < level.cells) {
      const std::int64_t row = left / level.columns;
      return {static_cast<float>(left % level.columns), static_cast<float>(row), level.stride};
    }
    left -= level.cells;
  }
  return {};
}

const char* layout_name(YoloLayout layout) {
  switch (layout) {
    case YoloLayout::automatic:
      return "auto";
    case YoloLayout::anchors_last:
      return "anchors_last";
    case YoloLayout::anchors_first:
      return "anchors_first";
    case YoloLayout::objectness:
      return "objectness";
    case YoloLayout::end_to_end:
      return "end_to_end";
    case YoloLayout::yolox:
      return "yolox";
    case YoloLayout::gfl:
      return "gfl";
  }
  return "";
}

std::int64_t columns_of(const YoloDecoder& spec, YoloLayout layout, std::int64_t labels) {
  switch (layout) {
    case YoloLayout::objectness:
    case YoloLayout::yolox:
      return 5 + labels + spec.extra;
    case YoloLayout::end_to_end:
      return 6 + spec.extra;
    case YoloLayout::gfl:
      return labels + 4 * static_cast<std::int64_t>(spec.bins) + spec.extra;
    default:
      return 4 + labels + spec.extra;
  }
}

std::unique_ptr<Detector> make_yolo(const YoloDecoder& spec, Complaints& complaints) {
  YoloShape shape;
  shape.output.name = spec.output;
  const OutputPort* const port = complaints.output("output", shape.output);
  const bool sound = sound_numbers(spec, complaints);
  const std::vector<std::int64_t> own = own_shape(port, 2);
  if (port != nullptr && own.empty()) complaints.check_shape("output", shape.output);
  if (!sound || !complaints.none()) return nullptr;
  const std::optional<YoloLayout> layout = layout_of(spec, port, own, complaints);
  if (!layout) return nullptr;
  check_boxes(spec, *layout, complaints);
  CellGrid grid;
  if (has_cells(*layout)) grid = grid_of(spec, *layout, complaints.input(), own.empty() ? kAnySize : own[0]);
  check_cells(spec, *layout, grid, port, own, complaints);
  if (!complaints.none()) return nullptr;

  const bool last = *layout == YoloLayout::anchors_last;
  (last ? shape.output.rows : shape.output.columns) = columns_of(spec, *layout, complaints.labels());
  if (has_cells(*layout)) shape.output.rows = grid.size();
  shape.labels = complaints.label_count();
  const BoxForm form = spec.box.value_or(*layout == YoloLayout::end_to_end ? BoxForm::xyxy : BoxForm::cxcywh);
  shape.read = box_reader(form, spec.unit, complaints.input());
  switch (*layout) {
    case YoloLayout::anchors_last:
      return make_yolo_columns(shape);
    case YoloLayout::end_to_end:
      return make_yolo_end_to_end(shape);
    case YoloLayout::gfl:
      return make_yolo_gfl(shape, static_cast<std::size_t>(spec.bins), std::move(grid));
    case YoloLayout::yolox:
      return make_yolo_rows(shape, true, std::move(grid));
    default:
      return make_yolo_rows(shape, *layout == YoloLayout::objectness, std::nullopt);
  }
}

}  // namespace saccade::vision
