#include "vision/model/guess_yolo.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "profiles/interface_io.hpp"

namespace saccade::vision {
namespace {

using profiles::YoloLayout;

constexpr std::array kUsualStrides = {8, 16, 32};
constexpr std::array kFourStrides = {8, 16, 32, 64};
constexpr int kBoxesPerCell = 3;          // anchors of YOLOv3, v5 and v7
constexpr std::int64_t kGflColumns = 32;  // 4 sides, 8 bins

std::int64_t cells(int height, int width, std::span<const int> strides) {
  std::int64_t sum = 0;
  for (const int stride : strides) {
    sum += static_cast<std::int64_t>((height + stride - 1) / stride) * ((width + stride - 1) / stride);
  }
  return sum;
}

// What a number of candidates is in terms of the input's cells.
struct CellCount {
  bool known = false;         // both the number and the input's size are
  bool with_anchors = false;  // three boxes per cell
  bool one_each = false;      // strides 8, 16, 32
  bool four_strides = false;  // strides 8, 16, 32, 64
  bool other = false;         // P2 and P3-only heads: one box per cell of other strides
  [[nodiscard]] bool any() const { return with_anchors || one_each || four_strides || other; }
};

CellCount cell_count(const ModelFacts& facts, std::optional<std::int64_t> count) {
  CellCount result;
  if (!count || !facts.height || !facts.width) return result;
  const auto sum = [&](std::span<const int> strides) { return cells(*facts.height, *facts.width, strides); };
  static constexpr std::array kWithFour = {4, 8, 16, 32};
  static constexpr std::array kTwo = {16, 32};
  result.known = true;
  result.one_each = *count == sum(kUsualStrides);
  result.four_strides = *count == sum(kFourStrides);
  result.other = *count == sum(kWithFour) || *count == sum(kTwo);
  for (const std::int64_t grid : {sum(kUsualStrides), sum(kFourStrides), sum(kTwo)}) {
    result.with_anchors = result.with_anchors || *count == kBoxesPerCell * grid;
  }
  return result;
}

struct YoloReading {
  YoloLayout layout;
  std::int64_t columns_before = 4;  // the classes
  Habit habit = Habit::ultralytics;
  const char* family = "";
  const char* why = "";
};

constexpr YoloReading kAnchorsLast{YoloLayout::anchors_last, 4, Habit::ultralytics, "YOLOv8 and later",
                                   "[4 + classes, candidates]"};
constexpr YoloReading kAnchorsFirst{YoloLayout::anchors_first, 4, Habit::ultralytics,
                                    "YOLOv8 and later, transposed", "[candidates, 4 + classes]"};
constexpr YoloReading kObjectness{YoloLayout::objectness, 5, Habit::ultralytics, "YOLOv5 and v7",
                                  "[candidates, 5 + classes], three boxes per cell"};
constexpr YoloReading kYoloxRaw{
    YoloLayout::yolox, 5, Habit::yolox, "YOLOX",
    "[cells, 5 + classes] without an Exp in the graph: sizes are not decoded yet"};
constexpr YoloReading kYoloxDecoded{YoloLayout::objectness, 5, Habit::yolox, "YOLOX, decoded in the graph",
                                    "[cells, 5 + classes] with an Exp in the graph: sizes are decoded"};
constexpr YoloReading kGfl{YoloLayout::gfl, kGflColumns, Habit::nanodet, "NanoDet-Plus",
                           "[cells of 8, 16, 32, 64 pixels, classes + 32]"};
constexpr YoloReading kEndToEnd{YoloLayout::end_to_end, 6, Habit::ultralytics,
                                "YOLOv10 and later, end to end", "[candidates, 6] that are no grid of cells"};

class YoloGuess {
 public:
  YoloGuess(const ModelFacts& facts, Draft& draft) : facts_(facts), draft_(draft) {}

  bool run() {
    if (!find_port()) return false;
    collect();
    if (readings_.empty()) return false;
    // Those that fit the labels first; the order among them is that of likelihood.
    const auto fits = [&](const YoloReading& reading) { return fits_labels(reading); };
    std::stable_partition(readings_.begin(), readings_.end(), fits);
    const auto fitting = std::count_if(readings_.begin(), readings_.end(), fits);
    if (fitting > 0) readings_.resize(static_cast<std::size_t>(fitting));
    take(readings_.front());
    if (readings_.size() > 1) ask_which();
    return true;
  }

 private:
  // The one output of three dimensions; maps beside it are masks' prototypes or training heads.
  bool find_port() {
    for (const OnnxPort& port : facts_.file.outputs) {
      if (!port.shape) return false;
      if (port.shape->size() >= 4) {
        if (port.shape->size() == 4) prototypes_ = number_of((*port.shape)[1]).value_or(0);
        continue;
      }
      if (port.shape->size() != 3 || port_ != nullptr) return false;
      port_ = &port;
    }
    if (port_ == nullptr) return false;
    const auto type = element_type(*port_);
    const auto shape = without_batch(*port_);
    if (!shape || (type != profiles::ElementType::fp32 && type != profiles::ElementType::fp16)) return false;
    rows_ = (*shape)[0];
    columns_ = (*shape)[1];
    if (facts_.ultralytics.task == "segment" || (prototypes_ > 0 && facts_.file.outputs.size() == 2)) {
      constexpr std::int64_t kMostPrototypes = 256;
      extra_ = prototypes_ > 0 && prototypes_ <= kMostPrototypes ? prototypes_ : kGflColumns;
    }
    if (facts_.ultralytics.task == "pose") extra_ = facts_.ultralytics.key_point_columns;
    return true;
  }

  void collect() {
    const CellCount last = cell_count(facts_, columns_);
    const CellCount first = cell_count(facts_, rows_);
    if (rows_ && (last.one_each || last.four_strides || last.other)) add(kAnchorsLast, *rows_);
    if (rows_ && !columns_ && !first.any()) collect_open_last();
    if (!columns_) return;
    if (first.with_anchors) add(kObjectness, *columns_);
    if (first.one_each) {
      add(facts_.file.operators.contains("Exp") ? kYoloxDecoded : kYoloxRaw, *columns_);
      add(kAnchorsFirst, *columns_);
    }
    if (first.four_strides) {
      add(kGfl, *columns_);
      add(kAnchorsFirst, *columns_);
    }
    if (first.other) add(kAnchorsFirst, *columns_);
    if (last.any() || first.any()) {
      // Of six columns nobody can tell by the shape alone.
      if (*columns_ == 6 && first.any() && !facts_.label_count) add(kEndToEnd, *columns_);
      return;
    }
    const bool ends = *columns_ == 6 + extra_;
    if (ends) add(kEndToEnd, *columns_);
    if (!first.known) collect_open_first();
    const bool few = facts_.label_count && *facts_.label_count <= 2;
    if (ends && first.known && few && !facts_.ultralytics.end_to_end) {
      add(*facts_.label_count == 1 ? kObjectness : kAnchorsFirst, *columns_);
    }
  }

  // The number of candidates is open: only the number of labels can tell.
  void collect_open_last() {
    if (facts_.ultralytics.present || matches(kAnchorsLast, *rows_)) add(kAnchorsLast, *rows_);
  }
  void collect_open_first() {
    for (const YoloReading& reading : {kObjectness, kAnchorsFirst, kGfl}) {
      if (matches(reading, *columns_)) add(reading, *columns_);
    }
    if (matches(kObjectness, *columns_)) add(kYoloxRaw, *columns_);
    if (facts_.ultralytics.present && rows_ && *rows_ < *columns_ && readings_.empty())
      add(kAnchorsLast, *rows_);
  }

  [[nodiscard]] bool matches(const YoloReading& reading, std::int64_t columns) const {
    return facts_.label_count &&
           columns == reading.columns_before + extra_ + static_cast<std::int64_t>(*facts_.label_count);
  }

  [[nodiscard]] std::int64_t columns_of(const YoloReading& reading) const {
    return reading.layout == YoloLayout::anchors_last ? *rows_ : *columns_;
  }
  [[nodiscard]] std::int64_t classes_of(const YoloReading& reading) const {
    return columns_of(reading) - reading.columns_before - extra_;
  }

  void add(const YoloReading& reading, std::int64_t columns) {
    const bool ends = reading.layout == YoloLayout::end_to_end;
    if (ends || columns - reading.columns_before - extra_ >= 1) readings_.push_back(reading);
  }

  [[nodiscard]] bool fits_labels(const YoloReading& reading) const {
    if (reading.layout == YoloLayout::end_to_end || !facts_.label_count) return true;
    return classes_of(reading) == static_cast<std::int64_t>(*facts_.label_count);
  }

  void take(const YoloReading& reading) {
    profiles::YoloDecoder decoder;
    decoder.output = port_->name;
    decoder.layout = reading.layout;
    decoder.extra = static_cast<int>(extra_);
    if (reading.layout == YoloLayout::gfl) decoder.strides.assign(kFourStrides.begin(), kFourStrides.end());
    profiles::ModelInterface& interface = draft_.guess.interface;
    interface.task = profiles::NetworkTask::detect;
    interface.metric = "map";
    const bool ends = reading.layout == YoloLayout::end_to_end;
    if (ends) interface.selection.iou_threshold = std::nullopt;
    interface.decoder = std::move(decoder);
    draft_.habit = facts_.ultralytics.present ? Habit::ultralytics : reading.habit;
    draft_.guess.family = reading.family;
    const std::string pointer = "/interface/decoder";
    draft_.read(pointer + "/outputs", "the graph");
    if (ends && facts_.ultralytics.end_to_end) {
      draft_.read(pointer + "/layout", "the metadata: exported with its suppression");
    } else {
      draft_.guessed(pointer + "/layout", shape_text(*port_) + " is " + reading.why);
    }
    if (extra_ > 0) {
      draft_.guessed(pointer + "/extra",
                     std::to_string(extra_) + " columns of masks or key points are passed over");
    }
    if (!ends) draft_.classes = classes_of(reading);
  }

  void ask_which() {
    std::string names;
    for (const YoloReading& reading : readings_) {
      const char* name = profiles::to_string(reading.layout);
      if (names.find(name) != std::string::npos) continue;
      names += (names.empty() ? "" : ", ") + std::string(name);
    }
    draft_.ask(
        "/interface/decoder/layout",
        "the shape " + shape_text(*port_) + " has more than one reading: " + names + "; the first is drafted",
        facts_.label_count ? "write the one that the network was exported with"
                           : "give --labels FILE, or write the one that the network was exported with");
  }

  const ModelFacts& facts_;
  Draft& draft_;
  const OnnxPort* port_ = nullptr;
  std::optional<std::int64_t> rows_;
  std::optional<std::int64_t> columns_;
  std::int64_t prototypes_ = 0;  // channels of a map beside the candidates
  std::int64_t extra_ = 0;
  std::vector<YoloReading> readings_;
};

}  // namespace

std::optional<KnownDimensions> without_batch(const OnnxPort& port) {
  if (!port.shape) return std::nullopt;
  KnownDimensions dimensions;
  for (const OnnxDimension& dimension : *port.shape) dimensions.push_back(number_of(dimension));
  if (dimensions.size() < 3) return dimensions;
  if (dimensions.front().value_or(1) != 1) return std::nullopt;
  dimensions.erase(dimensions.begin());
  return dimensions;
}

bool is_cell_count(const ModelFacts& facts, std::optional<std::int64_t> count) {
  return cell_count(facts, count).one_each;
}

bool guess_yolo(const ModelFacts& facts, Draft& draft) { return YoloGuess(facts, draft).run(); }

}  // namespace saccade::vision
