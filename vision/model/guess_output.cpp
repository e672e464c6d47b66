// Which family gives such outputs. Tried in this order: what the exporter wrote, names that only one family
// has, shapes. Where a shape has two readings, the likelier one is drafted and the question is put.
// Sources of the layouts: the exporters of Ultralytics, YOLOX, NanoDet, RT-DETR, RF-DETR and TensorFlow's
// detection API; Hugging Face's DETR.
#include <algorithm>
#include <array>
#include <utility>

#include "text/strict_json.hpp"
#include "vision/model/guess_facts.hpp"
#include "vision/model/guess_yolo.hpp"

namespace saccade::vision {
namespace {

using profiles::Activation;
using profiles::Background;
using profiles::BoxForm;
using profiles::BoxUnit;
using profiles::NetworkTask;

bool name_has(const OnnxPort& port, std::string_view part) {
  return lower_case(port.name).find(part) != std::string::npos;
}

bool is_real(const OnnxPort& port) {
  const auto type = element_type(port);
  return type == profiles::ElementType::fp32 || type == profiles::ElementType::fp16;
}

class DecoderGuess {
 public:
  DecoderGuess(const ModelFacts& facts, Draft& draft)
      : facts_(facts), draft_(draft), interface_(draft.guess.interface), outputs_(facts.file.outputs) {}

  void run() {
    if (facts_.ultralytics.task == "obb") {
      tensor("rotated boxes of Ultralytics", "rotated boxes are not decoded");
      return;
    }
    if (facts_.ultralytics.present && facts_.ultralytics.task == "classify" && classifier()) return;
    if (named_ssd() || rf_detr() || labels_boxes_scores() || boxes_and_scores()) return;
    if (guess_yolo(facts_, draft_)) return;
    if (classifier()) return;
    unknown();
  }

 private:
  static constexpr const char* kDecoder = "/interface/decoder";

  // "raw_detection_boxes" are no detection_boxes.
  [[nodiscard]] const OnnxPort* find(std::string_view part) const {
    for (const OnnxPort& port : outputs_) {
      if (name_has(port, part) && (part.starts_with("raw_") || !name_has(port, "raw_"))) return &port;
    }
    return nullptr;
  }

  void detector(std::string family, Habit habit, profiles::Decoder decoder) {
    draft_.guess.family = std::move(family);
    draft_.habit = facts_.ultralytics.present ? Habit::ultralytics : habit;
    interface_.task = NetworkTask::detect;
    interface_.metric = "map";
    interface_.decoder = std::move(decoder);
    interface_.selection.iou_threshold = std::nullopt;
  }

  // Boxes, scores and classes are there, and no port has two roles; the last, the count, may be absent.
  static bool differ(const std::array<const OnnxPort*, 4>& ports) {
    for (std::size_t i = 0; i < ports.size(); ++i) {
      if (ports[i] == nullptr && i + 1 < ports.size()) return false;
      if (ports[i] != nullptr && std::count(ports.begin(), ports.end(), ports[i]) > 1) return false;
    }
    return true;
  }

  // Detectors that end with their own suppression: one output per role, by name.
  bool named_ssd() {
    if (outputs_.size() < 3) return false;
    profiles::SsdDecoder ssd;
    if (const OnnxPort* boxes = find("tflite_detection_postprocess");
        boxes != nullptr && outputs_.size() == 4) {
      ssd = {.boxes = outputs_[0].name,
             .scores = outputs_[2].name,
             .classes = outputs_[1].name,
             .count = outputs_[3].name,
             .class_offset = 0};
      detector("SSD of TensorFlow Lite", Habit::ssd_lite, ssd);
      draft_.guessed(kDecoder,
                     "the outputs' names: TFLite_Detection_PostProcess gives boxes, classes, scores, count");
      return true;
    }
    const OnnxPort* boxes = find("detection_boxes");
    const OnnxPort* scores = find("detection_scores");
    const OnnxPort* classes = find("detection_classes");
    const OnnxPort* count = find("num_detections");
    if (differ({boxes, scores, classes, count})) {
      ssd = {.boxes = boxes->name,
             .scores = scores->name,
             .classes = classes->name,
             .count = count == nullptr ? "" : count->name};
      detector("SSD of TensorFlow", Habit::ssd, ssd);
      draft_.guessed(kDecoder, "the outputs' names are those of TensorFlow's detection API, classes from 1");
      take_score_columns();
      return true;
    }
    boxes = find("det_boxes");
    scores = find("det_scores");
    classes = find("det_classes");
    count = find("num_dets");
    if (!differ({boxes, scores, classes, count})) return false;
    ssd = {.boxes = boxes->name,
           .scores = scores->name,
           .classes = classes->name,
           .count = count == nullptr ? "" : count->name,
           .box = BoxForm::xyxy,
           .unit = BoxUnit::input_pixels,
           .class_offset = 0};
    detector("a detector with suppression in the graph", Habit::none, ssd);
    draft_.guessed(kDecoder, "the outputs' names are those of TensorRT's suppression");
    return true;
  }

  // Of all scores of TensorFlow's: most have a column for the background in front; EfficientDet, for one, has
  // none.
  void take_score_columns() {
    const OnnxPort* all = find("detection_multiclass_scores");
    if (all == nullptr) all = find("raw_detection_scores");
    if (all == nullptr || !all->shape || all->shape->size() < 2 || !facts_.label_count) return;
    const auto columns = number_of(all->shape->back());
    if (columns && static_cast<std::int64_t>(*facts_.label_count) != *columns) draft_.classes = *columns - 1;
  }

  bool rf_detr() {
    if (outputs_.size() < 2) return false;
    const OnnxPort* dets = nullptr;
    const OnnxPort* labels = nullptr;
    for (const OnnxPort& port : outputs_) {
      if (port.name == "dets") dets = &port;
      if (port.name == "labels") labels = &port;
    }
    if (dets == nullptr || labels == nullptr || !is_real(*labels)) return false;
    const auto boxes = without_batch(*dets);
    const auto logits = without_batch(*labels);
    if (!boxes || !logits || boxes->size() != 2 || logits->size() != 2 || (*boxes)[1] != 4) return false;
    profiles::DetrDecoder detr;
    detr.boxes = dets->name;
    detr.logits = labels->name;
    detector("RF-DETR", Habit::rf_detr, detr);
    draft_.guessed(kDecoder, "the outputs are called dets and labels, boxes as fractions of the picture");
    background((*logits)[1], Background::first, Activation::sigmoid,
               "RF-DETR numbers COCO's classes from 1, others from 0 with an unused last column");
    return true;
  }

  // How many of the K columns are classes.
  void background(std::optional<std::int64_t> columns, Background usual, Activation activation,
                  const std::string& why) {
    auto& detr = std::get<profiles::DetrDecoder>(interface_.decoder);
    detr.activation = activation;
    const std::string pointer = std::string(kDecoder) + "/background";
    if (columns && facts_.label_count && static_cast<std::int64_t>(*facts_.label_count) == *columns) {
      detr.background = Background::none;
      draft_.read(pointer, "as many columns as labels");
      draft_.classes = columns;
      return;
    }
    detr.background = usual;
    if (columns) draft_.classes = *columns - (usual == Background::none ? 0 : 1);
    draft_.guessed(pointer, why);
    if (usual == Background::none && facts_.label_count) return;  // a conflict of the labels
    draft_.ask(pointer,
               "of the scores' " + (columns ? std::to_string(*columns) : std::string("unknown")) +
                   " columns none, the first or the last may mean \"nothing\"; " +
                   (usual == Background::none    ? "none"
                    : usual == Background::first ? "the first"
                                                 : "the last") +
                   " is drafted",
               why + "; compare with the labels and with a picture");
  }

  // labels [Q] as integers, boxes [Q, 4], scores [Q].
  bool labels_boxes_scores() {
    if (outputs_.size() != 3) return false;
    const OnnxPort* boxes = nullptr;
    const OnnxPort* labels = nullptr;
    const OnnxPort* scores = nullptr;
    for (const OnnxPort& port : outputs_) {
      if (!port.shape || port.shape->empty()) return false;
      if (number_of(port.shape->back()) == 4 && is_real(port) && port.shape->size() >= 2) {
        boxes = &port;
      } else if (port.type == "int64" || port.type == "int32") {
        labels = &port;
      } else if (is_real(port) && port.shape->size() <= 2) {
        scores = &port;
      }
    }
    if (boxes == nullptr || labels == nullptr || scores == nullptr) return false;
    const bool sized = std::any_of(facts_.file.inputs.begin(), facts_.file.inputs.end(),
                                   [](const OnnxPort& port) { return port.name == "orig_target_sizes"; });
    profiles::DetrDecoder detr;
    detr.boxes = boxes->name;
    detr.labels = labels->name;
    detr.scores = scores->name;
    detr.activation = Activation::none;
    detr.box = BoxForm::xyxy;
    detr.unit = BoxUnit::input_pixels;
    detector(sized ? "RT-DETR or D-FINE with its decoder in the graph"
                   : "a detector that gives labels, boxes and scores",
             sized ? Habit::rt_detr : Habit::none, detr);
    draft_.guessed(kDecoder, "labels as integers, boxes and scores, told apart by type and shape");
    if (sized) return true;
    draft_.ask(
        std::string(kDecoder) + "/unit",
        "the graph does not say whether boxes are pixels of the input or fractions, corners or centres",
        "corners in pixels are drafted; write box (xyxy, cxcywh, yxyx, xywh) and unit (input_pixels, "
        "fraction)");
    draft_.ask("/labels",
               "the graph does not say whether its first label is 0 or 1 (torchvision: 1, background first)",
               "put a label in front of the others if it is 1");
    return true;
  }

  // [Q, 4] and [Q, K]: DETR, or boxes per cell.
  bool boxes_and_scores() {
    if (outputs_.size() != 2) return false;
    for (const std::size_t first : {std::size_t{0}, std::size_t{1}}) {
      const OnnxPort& boxes = outputs_[first];
      const OnnxPort& scores = outputs_[1 - first];
      const auto box_shape = without_batch(boxes);
      const auto score_shape = without_batch(scores);
      if (!is_real(boxes) || !is_real(scores) || !box_shape || !score_shape) continue;
      if (box_shape->size() != 2 || score_shape->size() != 2 || (*box_shape)[1] != 4) continue;
      if ((*box_shape)[0] != (*score_shape)[0] || (*score_shape)[1] == 4) continue;
      if (is_cell_count(facts_, (*box_shape)[0])) {
        boxes_per_cell(boxes, scores, (*score_shape)[1]);
      } else {
        detr(boxes, scores, (*score_shape)[1]);
      }
      return true;
    }
    return false;
  }

  void boxes_per_cell(const OnnxPort& boxes, const OnnxPort& scores, std::optional<std::int64_t> columns) {
    profiles::SsdDecoder ssd;
    ssd.boxes = boxes.name;
    ssd.scores = scores.name;
    ssd.box = BoxForm::xyxy;
    ssd.unit = BoxUnit::input_pixels;
    ssd.class_offset = 0;
    detector("boxes and scores per cell, as YOLO-NAS gives them", Habit::none, ssd);
    interface_.selection.iou_threshold = profiles::Selection{}.iou_threshold;
    draft_.classes = columns;
    draft_.guessed(kDecoder, "as many boxes as the input has cells of 8, 16 and 32 pixels");
    draft_.ask(std::string(kDecoder) + "/box", "the graph does not say what the four numbers of a box are",
               "corners in pixels are drafted; write box (xyxy, cxcywh, yxyx, xywh) and unit (input_pixels, "
               "fraction)");
  }

  void detr(const OnnxPort& boxes, const OnnxPort& logits, std::optional<std::int64_t> columns) {
    profiles::DetrDecoder decoder;
    decoder.boxes = boxes.name;
    decoder.logits = logits.name;
    const std::string& types = facts_.model_type;
    const bool rt = types.find("rt_detr") != std::string::npos || types.find("d_fine") != std::string::npos;
    const bool sigmoid = is_sigmoid_detr(types);
    const bool plain = is_plain_detr(types) && !sigmoid;
    detector("DETR, boxes and logits per query", rt ? Habit::rt_detr : Habit::none, decoder);
    draft_.guessed(
        kDecoder, "boxes [Q, 4] and scores [Q, K] that are no grid of cells: centres and sizes as fractions");
    const std::string pointer = std::string(kDecoder) + "/activation";
    const bool one_more =
        columns && facts_.label_count && static_cast<std::int64_t>(*facts_.label_count) + 1 == *columns;
    const bool softmax = plain || (one_more && !sigmoid);
    draft_.guessed(pointer, !softmax ? "DETRs of this kind are trained with a sigmoid per class"
                            : plain  ? "the model type " + types
                                     : "one column more than labels");
    const bool ready = logits.made_by == "Sigmoid" || logits.made_by == "Softmax";
    if (ready) draft_.read(pointer, "the scores come from " + logits.made_by);
    const Activation activation = ready     ? Activation::none
                                  : softmax ? Activation::softmax
                                            : Activation::sigmoid;
    if (one_more || (softmax && !facts_.label_count)) {
      background(columns, Background::last, activation,
                 "DETR's last column means \"nothing\", with softmax; others have a sigmoid per class");
      if (one_more && plain) draft_.guess.open.pop_back();
      return;
    }
    background(columns, Background::none, activation, "every column is a class");
  }

  // Of [1, C], [C] or [1, C, 1, 1]; 0: open. A first dimension that is open although the batch is fixed
  // counts something else, detections for example.
  [[nodiscard]] std::optional<std::int64_t> class_columns(const OnnxPort& port) const {
    if (!is_real(port) || !port.shape || port.shape->empty()) return std::nullopt;
    OnnxShape shape = *port.shape;
    if (shape.size() == 4 && number_of(shape[2]) == 1 && number_of(shape[3]) == 1) shape.resize(2);
    if (shape.size() > 2) return std::nullopt;
    const OnnxPort* picture = facts_.picture.port;
    const bool fixed = picture != nullptr && number_of(picture->shape->front());
    const auto first = number_of(shape.front());
    if (shape.size() == 2 && (first.value_or(1) != 1 || (fixed && !first))) return std::nullopt;
    return number_of(shape.back()).value_or(0);
  }

  bool classifier() {
    const OnnxPort* scores = nullptr;
    std::size_t fitting = 0;
    for (const OnnxPort& port : outputs_) {
      const auto columns = class_columns(port);
      if (!columns || *columns == 1) continue;
      const bool labelled = facts_.label_count && static_cast<std::int64_t>(*facts_.label_count) == *columns;
      if (scores == nullptr || labelled) scores = &port;
      ++fitting;
    }
    if (scores == nullptr || (outputs_.size() > 1 && fitting > 1 && !facts_.label_count)) return false;
    const std::int64_t columns = class_columns(*scores).value_or(0);
    draft_.guess.family = facts_.ultralytics.present ? "classifier of Ultralytics" : "classifier";
    if (facts_.ultralytics.present) draft_.habit = Habit::ultralytics_classify;
    if (columns > 0) draft_.classes = columns;
    const bool ready = scores->made_by == "Softmax" || scores->made_by == "Sigmoid";
    interface_.task = NetworkTask::classify;
    interface_.metric = "top1";
    interface_.decoder = profiles::ClassifyDecoder{
        .output = scores->name, .activation = ready ? Activation::none : Activation::softmax};
    draft_.guessed(kDecoder, "an output of shape " + shape_text(*scores));
    const std::string pointer = std::string(kDecoder) + "/activation";
    if (ready) {
      draft_.read(pointer, "the graph ends with " + scores->made_by);
    } else {
      draft_.guessed(pointer, "the graph ends without Softmax or Sigmoid: the output is logits");
    }
    if (outputs_.size() > 1) {
      draft_.ask(std::string(kDecoder) + "/outputs",
                 "the graph has " + std::to_string(outputs_.size()) + " outputs; " +
                     text::in_quotes(scores->name) + " is taken for the scores of the classes",
                 "write the name of another one if it is not");
    }
    return true;
  }

  void unknown() {
    if (outputs_.size() == 1 && outputs_[0].shape && outputs_[0].shape->size() == 4) {
      tensor("a map (segmentation, depth, text, heat)", "maps are handed on, not decoded");
      return;
    }
    for (const OnnxPort& port : outputs_) {
      const auto shape = without_batch(port);
      if (shape && shape->size() == 2 && (*shape)[0] == 896 && (*shape)[1] == 16) {
        tensor("BlazeFace", "its anchors are not decoded");
        return;
      }
    }
    std::string shapes;
    for (const OnnxPort& port : outputs_) {
      shapes += (shapes.empty() ? "" : ", ") + text::in_quotes(port.name) + " " + port.type + " " +
                shape_text(port);
    }
    tensor("no family that is known here", "the outputs fit no decoder: " + shapes);
  }

  void tensor(std::string family, const std::string& why) {
    draft_.guess.family = std::move(family);
    interface_.task = NetworkTask::tensor;
    interface_.metric.clear();
    interface_.decoder = profiles::TensorDecoder{};
    if (facts_.ultralytics.present) draft_.habit = Habit::ultralytics;
    draft_.guessed(kDecoder, why);
    draft_.ask(kDecoder, why + "; the tensors are handed on as they are",
               "write the decoder if one of classify, yolo, ssd and detr fits");
  }

  const ModelFacts& facts_;
  Draft& draft_;
  profiles::ModelInterface& interface_;
  const std::vector<OnnxPort>& outputs_;
};

}  // namespace

void guess_decoder(const ModelFacts& facts, Draft& draft) { DecoderGuess(facts, draft).run(); }

}  // namespace saccade::vision
