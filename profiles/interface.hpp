// The inputs and outputs of a network: how a picture becomes its input tensor, which constants it needs in
// addition, and how its output tensors become labels, objects or tensors that are passed through. One
// interface per profile set; a variant may differ in the input's name, size, layout and type and in the names
// and the layout of its outputs, never in the labels, the meaning of colours or the metric.
// Set format saccade-profiles/2. Threads: plain values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace saccade::profiles {

enum class NetworkTask { classify, detect, tensor };
enum class TensorLayout { nchw, nhwc };
enum class ElementType { fp32, fp16, uint8, int8, int32, int64 };
enum class ColorOrder { rgb, bgr, gray };
// stretch: the whole picture, both sides scaled independently. letterbox: the whole picture, its sides scaled
// by r = min(W / w, H / h) to round(w r) x round(h r), the rest is padding. cover: scaled by max(W / w, H /
// h), the centre is cropped.
enum class Resize { stretch, letterbox, cover };
enum class Align {
  center,
  top_left
};  // position of the picture with letterbox; center: left = floor((W - size) / 2)
enum class Filter { linear, area, nearest, cubic };

// Sides of a network's input in pixels. Larger values are refused as mistakes.
inline constexpr int kMostInputSide = 8192;

// Element of the input tensor = (pixel * scale - mean) / std, pixel in 0 .. 255, per channel in the order of
// `color`. For a gray input the first number counts. uint8 allows only scale 1, mean 0, std 1.
struct PictureInput {
  std::string name;                    // of the graph's input; empty: its only one
  std::optional<TensorLayout> layout;  // absent: by the position of the channels in the graph
  std::optional<ElementType> type;     // absent: the graph's; fp32, fp16 or uint8
  int width = 0;                       // 1 .. kMostInputSide
  int height = 0;                      // 1 .. kMostInputSide
  ColorOrder color = ColorOrder::rgb;
  double scale = 1.0 / 255.0;
  std::array<double, 3> mean = {0.0, 0.0, 0.0};
  std::array<double, 3> std = {1.0, 1.0, 1.0};
  Resize resize = Resize::stretch;
  Align align = Align::center;
  std::array<std::uint8_t, 3> pad = {114, 114, 114};  // in picture values, in the order of `color`
  Filter filter = Filter::linear;
  bool operator==(const PictureInput&) const = default;
};

// A further input that is not a picture, for example in detectors of the DETR family (orig_target_sizes).
enum class Dimension { input_width, input_height, frame_width, frame_height };
struct ConstantInput {
  std::string name;
  ElementType type = ElementType::int64;               // fp32, int32 or int64
  std::vector<std::variant<double, Dimension>> value;  // its shape is the graph's
  bool operator==(const ConstantInput&) const = default;
};

enum class Activation { none, sigmoid, softmax };

// Logits or probabilities, [1, C] or [C] -> the best label and its score.
struct ClassifyDecoder {
  std::string output;                           // empty: the graph's only one
  Activation activation = Activation::softmax;  // what makes scores of the values
  bool operator==(const ClassifyDecoder&) const = default;
};

enum class BoxForm { cxcywh, xyxy, xywh, yxyx };
enum class BoxUnit { input_pixels, fraction };  // fraction: of the input's width and height

// N candidates; a leading dimension of 1 is ignored. C classes.
enum class YoloLayout {
  automatic,      // derived from the shape and the number of labels, see vision/decode
  anchors_last,   // [4 + C + extra, N], scores ready (YOLOv8, v9, v11, v12)
  anchors_first,  // [N, 4 + C + extra], scores ready
  objectness,     // [N, 5 + C + extra], score = objectness * class (YOLOv5, v7)
  end_to_end,     // [N, 6 + extra]: box, score, class; only the threshold is applied (YOLOv10, v26)
  yolox,          // [N, 5 + C] raw: centre = (xy + cell) * stride, size = exp(wh) * stride
  gfl             // [N, C + 4 * bins]: distances to the four sides as distributions (NanoDet-Plus)
};
struct YoloDecoder {
  std::string output;  // empty: the graph's only one
  YoloLayout layout = YoloLayout::automatic;
  std::optional<BoxForm> box;  // absent: xyxy of end_to_end, else cxcywh
  BoxUnit unit = BoxUnit::input_pixels;
  std::vector<int> strides = {8, 16, 32};  // yolox; the default for gfl is {8, 16, 32, 64}
  int bins = 8;                            // gfl: numbers per side
  int extra = 0;                           // ignored columns: mask coefficients, key points
  bool operator==(const YoloDecoder&) const = default;
};

// boxes [N, 4], scores [N] or [N, C], classes [N] (absent: from the best score), count [1] (absent: N).
struct SsdDecoder {
  std::string boxes;
  std::string scores;
  std::string classes;  // empty: none
  std::string count;    // empty: none
  BoxForm box = BoxForm::yxyx;
  BoxUnit unit = BoxUnit::fraction;
  int class_offset = 1;  // class number of the first label in the graph
  bool operator==(const SsdDecoder&) const = default;
};

// Either logits [Q, C (+ 1)] and boxes [Q, 4], or labels [Q], boxes [Q, 4] and scores [Q]. No suppression.
enum class Background { none, first, last };
struct DetrDecoder {
  std::string boxes;
  std::string logits;  // empty: labels and scores are given
  std::string labels;
  std::string scores;
  Activation activation = Activation::sigmoid;  // of logits
  Background background = Background::none;     // the column that means "nothing"
  BoxForm box = BoxForm::cxcywh;
  BoxUnit unit = BoxUnit::fraction;
  bool operator==(const DetrDecoder&) const = default;
};

// Passed through unchanged, at most 16 MiB.
struct TensorDecoder {
  std::vector<std::string> outputs;  // empty: all
  bool operator==(const TensorDecoder&) const = default;
};

using Decoder = std::variant<ClassifyDecoder, YoloDecoder, SsdDecoder, DetrDecoder, TensorDecoder>;

// Which of the candidates become objects; for detectors only.
struct Selection {
  double score_threshold = 0.25;  // score >= it
  std::optional<double> iou_threshold =
      0.45;  // suppression where IoU > it; absent: none (ssd, detr, end_to_end)
  int max_objects = 300;
  bool agnostic = false;      // suppression across all classes
  bool merge_regions = true;  // a second suppression over the whole frame when regions overlap
  bool operator==(const Selection&) const = default;
};

struct ModelInterface {
  NetworkTask task = NetworkTask::classify;
  std::string metric =
      "top1";  // "top1", "map" (COCO, IoU 0.50:0.05:0.95) or "map50"; of tensor: what the owner says
  PictureInput input;
  std::vector<ConstantInput> constants;
  Decoder decoder = ClassifyDecoder{};
  Selection selection;
  bool operator==(const ModelInterface&) const = default;
};

}  // namespace saccade::profiles
