#include "vision/model/interface_guess.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "profiles/interface_io.hpp"
#include "tests/vision/model/model_files.hpp"
#include "text/utf8.hpp"

namespace saccade::vision {
namespace {

using profiles::Activation;
using profiles::Background;
using profiles::BoxForm;
using profiles::BoxUnit;
using profiles::ClassifyDecoder;
using profiles::DetrDecoder;
using profiles::NetworkTask;
using profiles::Resize;
using profiles::SsdDecoder;
using profiles::TensorDecoder;
using profiles::YoloDecoder;
using profiles::YoloLayout;
using testing::model_file;

LabelList labels_of(std::size_t count) {
  LabelList list{"labels.txt", {}};
  for (std::size_t i = 0; i < count; ++i) list.names.push_back("thing " + std::to_string(i));
  return list;
}

InterfaceGuess guess_of(const std::string& model, std::size_t labels = 0) {
  const LabelList list = labels_of(labels);
  return guess_interface(model_file(model), {}, labels == 0 ? nullptr : &list);
}

std::optional<Origin> origin_of(const InterfaceGuess& guess, const std::string& pointer) {
  for (const FieldOrigin& field : guess.origins) {
    if (field.pointer == pointer) return field.origin;
  }
  return std::nullopt;
}

// The question about a place; empty: none is open.
std::string question(const Errors& errors, const std::string& pointer) {
  for (const Error& error : errors) {
    if (error.where == pointer) return to_string(error);
  }
  return "";
}

bool says_of(const Errors& errors, const std::string& pointer, const std::string& part) {
  return question(errors, pointer).find(part) != std::string::npos;
}

YoloDecoder yolo_of(const InterfaceGuess& guess) {
  EXPECT_TRUE(std::holds_alternative<YoloDecoder>(guess.interface.decoder)) << guess.family;
  const auto* yolo = std::get_if<YoloDecoder>(&guess.interface.decoder);
  return yolo == nullptr ? YoloDecoder{} : *yolo;
}
DetrDecoder detr_of(const InterfaceGuess& guess) {
  EXPECT_TRUE(std::holds_alternative<DetrDecoder>(guess.interface.decoder)) << guess.family;
  const auto* detr = std::get_if<DetrDecoder>(&guess.interface.decoder);
  return detr == nullptr ? DetrDecoder{} : *detr;
}
SsdDecoder ssd_of(const InterfaceGuess& guess) {
  EXPECT_TRUE(std::holds_alternative<SsdDecoder>(guess.interface.decoder)) << guess.family;
  const auto* ssd = std::get_if<SsdDecoder>(&guess.interface.decoder);
  return ssd == nullptr ? SsdDecoder{} : *ssd;
}

OnnxPort port(const std::string& name, OnnxShape shape, const std::string& type = "float") {
  return {.name = name, .type = type, .shape = std::move(shape), .made_by = "Conv"};
}
constexpr auto num = [](int number) { return OnnxDimension(std::int64_t{number}); };
const OnnxDimension kOpen = std::monostate{};

OnnxFile graph(std::vector<OnnxPort> inputs, std::vector<OnnxPort> outputs) {
  OnnxFile file;
  file.inputs = std::move(inputs);
  file.outputs = std::move(outputs);
  file.nodes = 1;
  file.operators["Conv"] = 1;
  return file;
}
OnnxFile yolo_graph(OnnxShape output, int size = 640) {
  return graph({port("images", {num(1), num(3), num(size), num(size)})},
               {port("output0", std::move(output))});
}

TEST(InterfaceGuess, Yolo11WithUltralyticsMetadataNeedsNothing) {
  const InterfaceGuess guess = guess_of("yolo11n");
  EXPECT_EQ(guess.interface.task, NetworkTask::detect);
  EXPECT_EQ(guess.interface.metric, "map");
  EXPECT_EQ(yolo_of(guess).layout, YoloLayout::anchors_last);
  EXPECT_EQ(yolo_of(guess).output, "output0");
  EXPECT_EQ(yolo_of(guess).extra, 0);
  EXPECT_EQ(guess.interface.selection.iou_threshold, 0.45);
  EXPECT_EQ(guess.labels.size(), 80u);
  EXPECT_EQ(guess.labels[9], "traffic light");
  const profiles::PictureInput& input = guess.interface.input;
  EXPECT_EQ(input.name, "images");
  EXPECT_EQ(input.layout, profiles::TensorLayout::nchw);
  EXPECT_EQ(input.type, profiles::ElementType::fp32);
  EXPECT_EQ(input.width, 320);
  EXPECT_EQ(input.height, 320);
  EXPECT_EQ(input.resize, Resize::letterbox);
  EXPECT_EQ(input.align, profiles::Align::center);
  EXPECT_DOUBLE_EQ(input.scale, 1.0 / 255.0);
  EXPECT_EQ(to_string(guess.open), "");
  EXPECT_EQ(to_string(guess.conflicts), "");
  EXPECT_EQ(origin_of(guess, "/labels"), Origin::read);
  EXPECT_EQ(origin_of(guess, "/interface/input/width"), Origin::read);
  EXPECT_EQ(origin_of(guess, "/interface/input/scale"), Origin::guessed);
  EXPECT_EQ(origin_of(guess, "/interface/input/resize"), Origin::guessed);
  EXPECT_EQ(origin_of(guess, "/interface/decoder/layout"), Origin::guessed);
}

TEST(InterfaceGuess, OpenSidesComeFromTheMetadata) {
  const InterfaceGuess guess = guess_of("yolo11n-open");
  EXPECT_EQ(guess.interface.input.width, 640);
  EXPECT_EQ(guess.interface.input.height, 640);
  EXPECT_EQ(yolo_of(guess).layout, YoloLayout::anchors_last);
  EXPECT_EQ(to_string(guess.open), "");
  OnnxFile without = model_file("yolo11n-open");
  std::erase_if(without.metadata, [](const auto& entry) { return entry.first == "imgsz"; });
  const InterfaceGuess open = guess_interface(without);
  EXPECT_EQ(yolo_of(open).layout, YoloLayout::anchors_last);
  EXPECT_TRUE(says_of(open.open, "/interface/input/width", "any width"));
  EXPECT_TRUE(says_of(open.open, "/interface/input/height", "[batch, 3, height, width]"));
}

TEST(InterfaceGuess, ASizeThatNoPictureHasIsNotTaken) {
  for (const char* size : {"[640996400]", "[640, 8193]", "[-1]"}) {
    OnnxFile file = model_file("yolo11n-open");
    for (auto& [key, value] : file.metadata) {
      if (key == "imgsz") value = size;
    }
    const InterfaceGuess guess = guess_interface(file);
    EXPECT_EQ(guess.interface.input.width, 0) << size;
    EXPECT_EQ(guess.interface.input.height, 0) << size;
    EXPECT_TRUE(says_of(guess.open, "/interface/input", size)) << to_string(guess.open);
    EXPECT_TRUE(says_of(guess.open, "/interface/input/width", "any width"));
  }
}

TEST(InterfaceGuess, UltralyticsOtherTasks) {
  const InterfaceGuess seg = guess_of("yolo11n-seg");
  EXPECT_EQ(yolo_of(seg).layout, YoloLayout::anchors_last);
  EXPECT_EQ(yolo_of(seg).extra, 32);
  EXPECT_EQ(to_string(seg.conflicts), "");
  const InterfaceGuess pose = guess_of("yolo11n-pose");
  EXPECT_EQ(yolo_of(pose).layout, YoloLayout::anchors_last);
  EXPECT_EQ(yolo_of(pose).extra, 51);
  EXPECT_EQ(to_string(pose.conflicts), "");
  const InterfaceGuess obb = guess_of("yolo11n-obb");
  EXPECT_EQ(obb.interface.task, NetworkTask::tensor);
  EXPECT_TRUE(says_of(obb.open, "/interface/decoder", "rotated"));
  const InterfaceGuess cls = guess_of("yolo11n-cls");
  EXPECT_EQ(cls.interface.task, NetworkTask::classify);
  EXPECT_EQ(std::get<ClassifyDecoder>(cls.interface.decoder).activation, Activation::none);
  EXPECT_EQ(cls.interface.input.resize, Resize::cover);
  EXPECT_EQ(to_string(cls.open), "");
}

TEST(InterfaceGuess, EndToEnd) {
  const InterfaceGuess guess = guess_of("yolov10n");
  EXPECT_EQ(yolo_of(guess).layout, YoloLayout::end_to_end);
  EXPECT_EQ(guess.interface.selection.iou_threshold, std::nullopt);
  EXPECT_EQ(origin_of(guess, "/interface/decoder/layout"), Origin::read);
  EXPECT_EQ(to_string(guess.open), "");
  const LabelList coco = labels_of(80);
  const InterfaceGuess bare = guess_interface(yolo_graph({num(1), num(300), num(6)}), {}, &coco);
  EXPECT_EQ(yolo_of(bare).layout, YoloLayout::end_to_end);
  EXPECT_EQ(origin_of(bare, "/interface/decoder/layout"), Origin::guessed);
}

TEST(InterfaceGuess, SixColumnsAreNeverDecidedInSilence) {
  const std::string layout = "/interface/decoder/layout";
  // 8400 cells of a picture of 640: which of [5 + 1], [4 + 2] and end to end?
  const OnnxFile cells = yolo_graph({num(1), num(8400), num(6)});
  EXPECT_TRUE(says_of(guess_interface(cells).open, layout, "anchors_first"));
  EXPECT_TRUE(says_of(guess_interface(cells).open, layout, "end_to_end"));
  const LabelList two = labels_of(2);
  EXPECT_EQ(yolo_of(guess_interface(cells, {}, &two)).layout, YoloLayout::anchors_first);
  // 300 candidates with one or two labels.
  for (const std::size_t count : {1U, 2U}) {
    const LabelList few = labels_of(count);
    for (const OnnxDimension& rows : {num(300), kOpen}) {
      OnnxFile file = yolo_graph({num(1), rows, num(6)});
      const InterfaceGuess guess = guess_interface(file, {}, &few);
      EXPECT_EQ(yolo_of(guess).layout, YoloLayout::end_to_end);
      EXPECT_TRUE(says_of(guess.open, layout, count == 1 ? "objectness" : "anchors_first")) << count;
    }
  }
}

TEST(InterfaceGuess, Yolov5) {
  const InterfaceGuess guess = guess_of("yolov5s");
  EXPECT_EQ(yolo_of(guess).layout, YoloLayout::objectness);
  EXPECT_EQ(guess.labels.size(), 80u);
  EXPECT_EQ(guess.interface.input.resize, Resize::letterbox);
  EXPECT_EQ(to_string(guess.conflicts) + to_string(guess.open), "");
}

TEST(InterfaceGuess, Yolox) {
  const InterfaceGuess guess = guess_of("yolox", 80);
  EXPECT_EQ(yolo_of(guess).layout, YoloLayout::yolox);
  EXPECT_EQ(yolo_of(guess).strides, (std::vector{8, 16, 32}));
  EXPECT_EQ(guess.interface.input.color, profiles::ColorOrder::bgr);
  EXPECT_EQ(guess.interface.input.scale, 1.0);
  EXPECT_EQ(guess.interface.input.align, profiles::Align::top_left);
  EXPECT_EQ(to_string(guess.open), "");
  const InterfaceGuess decoded = guess_of("yolox-decoded", 80);
  EXPECT_EQ(yolo_of(decoded).layout, YoloLayout::objectness);
  EXPECT_EQ(decoded.interface.input.color, profiles::ColorOrder::bgr);
  // Without labels 85 columns may be 5 + 80 or 4 + 81.
  EXPECT_TRUE(says_of(guess_of("yolox").open, "/interface/decoder/layout", "anchors_first"));
  EXPECT_EQ(yolo_of(guess_of("yolox", 81)).layout, YoloLayout::anchors_first);
}

TEST(InterfaceGuess, NanoDet) {
  for (const std::size_t labels : {0U, 80U}) {
    const InterfaceGuess guess = guess_of("nanodet-plus", labels);
    EXPECT_EQ(yolo_of(guess).layout, YoloLayout::gfl);
    EXPECT_EQ(yolo_of(guess).strides, (std::vector{8, 16, 32, 64}));
    EXPECT_EQ(guess.interface.input.name, "data");
    EXPECT_EQ(guess.interface.input.color, profiles::ColorOrder::bgr);
    EXPECT_EQ(guess.interface.input.std[1], 57.12);
    EXPECT_EQ(question(guess.open, "/interface/decoder/layout").empty(), labels == 80);
  }
}

TEST(InterfaceGuess, TransposedAndPlainYolo) {
  const LabelList coco = labels_of(80);
  EXPECT_EQ(yolo_of(guess_interface(yolo_graph({num(1), num(84), num(8400)}), {}, &coco)).layout,
            YoloLayout::anchors_last);
  EXPECT_EQ(yolo_of(guess_interface(yolo_graph({num(1), num(8400), num(84)}), {}, &coco)).layout,
            YoloLayout::anchors_first);
  // The number of candidates is open: only the labels tell.
  EXPECT_EQ(yolo_of(guess_interface(yolo_graph({num(1), kOpen, num(84)}), {}, &coco)).layout,
            YoloLayout::anchors_first);
  EXPECT_EQ(yolo_of(guess_interface(yolo_graph({num(1), num(84), kOpen}), {}, &coco)).layout,
            YoloLayout::anchors_last);
  const InterfaceGuess open = guess_interface(yolo_graph({num(1), kOpen, num(85)}), {}, &coco);
  EXPECT_TRUE(says_of(open.open, "/interface/decoder/layout", "objectness, yolox"));
  EXPECT_EQ(guess_interface(yolo_graph({num(1), kOpen, num(85)})).interface.task, NetworkTask::tensor);
}

TEST(InterfaceGuess, SsdOfTensorFlow) {
  const InterfaceGuess guess = guess_of("ssd-tensorflow", 90);
  const SsdDecoder ssd = ssd_of(guess);
  EXPECT_EQ(ssd.boxes, "detection_boxes");
  EXPECT_EQ(ssd.scores, "detection_scores");
  EXPECT_EQ(ssd.classes, "detection_classes");
  EXPECT_EQ(ssd.count, "num_detections");
  EXPECT_EQ(ssd.box, BoxForm::yxyx);
  EXPECT_EQ(ssd.class_offset, 1);
  EXPECT_EQ(guess.interface.input.layout, profiles::TensorLayout::nhwc);
  EXPECT_EQ(guess.interface.input.type, profiles::ElementType::uint8);
  EXPECT_EQ(guess.interface.input.scale, 1.0);
  EXPECT_EQ(origin_of(guess, "/interface/input/scale"), Origin::read);
  EXPECT_TRUE(says_of(guess.open, "/interface/input/width", "any width"));
  EXPECT_EQ(guess.interface.selection.iou_threshold, std::nullopt);
}

TEST(InterfaceGuess, SsdOfTensorFlowLiteAndOfTensorRt) {
  const OnnxShape rows = {num(1), num(10)};
  const InterfaceGuess lite = guess_interface(
      graph({port("image", {num(1), num(300), num(300), num(3)}, "uint8")},
            {port("TFLite_Detection_PostProcess", {num(1), num(10), num(4)}),
             port("TFLite_Detection_PostProcess:1", rows), port("TFLite_Detection_PostProcess:2", rows),
             port("TFLite_Detection_PostProcess:3", {num(1)})}));
  EXPECT_EQ(ssd_of(lite).classes, "TFLite_Detection_PostProcess:1");
  EXPECT_EQ(ssd_of(lite).class_offset, 0);
  const InterfaceGuess trt = guess_interface(
      graph({port("images", {num(1), num(3), num(640), num(640)})},
            {port("num_dets", {num(1), num(1)}, "int32"), port("det_boxes", {num(1), num(100), num(4)}),
             port("det_scores", {num(1), num(100)}), port("det_classes", {num(1), num(100)}, "int32")}));
  EXPECT_EQ(ssd_of(trt).box, BoxForm::xyxy);
  EXPECT_EQ(ssd_of(trt).unit, BoxUnit::input_pixels);
}

TEST(InterfaceGuess, RtDetrWithItsDecoder) {
  const InterfaceGuess guess = guess_of("rtdetr-deploy", 80);
  const DetrDecoder detr = detr_of(guess);
  EXPECT_EQ(detr.labels, "labels");
  EXPECT_EQ(detr.boxes, "boxes");
  EXPECT_EQ(detr.scores, "scores");
  EXPECT_EQ(detr.logits, "");
  EXPECT_EQ(detr.box, BoxForm::xyxy);
  EXPECT_EQ(detr.unit, BoxUnit::input_pixels);
  ASSERT_EQ(guess.interface.constants.size(), 1u);
  EXPECT_EQ(guess.interface.constants[0].name, "orig_target_sizes");
  EXPECT_EQ(guess.interface.constants[0].value,
            (std::vector<std::variant<double, profiles::Dimension>>{profiles::Dimension::input_width,
                                                                    profiles::Dimension::input_height}));
  EXPECT_EQ(guess.interface.input.name, "images");
  EXPECT_EQ(guess.interface.input.resize, Resize::stretch);
  EXPECT_EQ(to_string(guess.open), "");
}

TEST(InterfaceGuess, DetrsTellTheirBackgroundByTheLabels) {
  const InterfaceGuess raw = guess_of("rtdetr-raw", 80);
  EXPECT_EQ(detr_of(raw).activation, Activation::sigmoid);
  EXPECT_EQ(detr_of(raw).background, Background::none);
  EXPECT_EQ(question(raw.open, "/interface/decoder/background"), "");
  const InterfaceGuess detr = guess_of("detr", 91);
  EXPECT_EQ(detr_of(detr).activation, Activation::softmax);
  EXPECT_EQ(detr_of(detr).background, Background::last);
  EXPECT_EQ(detr_of(detr).unit, BoxUnit::fraction);
  EXPECT_EQ(to_string(detr.conflicts), "");
  // Nothing known: it is asked.
  EXPECT_NE(question(guess_of("rtdetr-raw").open, "/interface/decoder/background"), "");
  // The side file knows the kind.
  const SideFile side = parse_side_file(R"({"model_type": "detr"})", "config.json").value();
  EXPECT_EQ(detr_of(guess_interface(model_file("detr"), std::array{side})).activation, Activation::softmax);
  const InterfaceGuess rf = guess_of("rfdetr", 90);
  EXPECT_EQ(rf.family, "RF-DETR");
  EXPECT_EQ(detr_of(rf).background, Background::first);
  EXPECT_EQ(detr_of(rf).logits, "labels");
  EXPECT_EQ(rf.interface.input.mean, (std::array{0.485, 0.456, 0.406}));
  EXPECT_NE(question(rf.open, "/interface/decoder/background"), "");
  EXPECT_EQ(to_string(rf.conflicts), "");
  EXPECT_EQ(detr_of(guess_of("rfdetr", 91)).background, Background::none);
}

TEST(InterfaceGuess, BoxesPerCellAreAsked) {
  const InterfaceGuess guess = guess_of("yolo-nas", 80);
  EXPECT_EQ(ssd_of(guess).scores, "scores");
  EXPECT_EQ(ssd_of(guess).classes, "");
  EXPECT_EQ(guess.interface.selection.iou_threshold, 0.45);
  EXPECT_NE(question(guess.open, "/interface/decoder/box"), "");
}

TEST(InterfaceGuess, Classifiers) {
  const InterfaceGuess logits = guess_of("resnet");
  EXPECT_EQ(logits.interface.task, NetworkTask::classify);
  EXPECT_EQ(logits.interface.metric, "top1");
  EXPECT_EQ(std::get<ClassifyDecoder>(logits.interface.decoder).activation, Activation::softmax);
  EXPECT_EQ(origin_of(logits, "/interface/input/scale"), Origin::assumed);
  EXPECT_TRUE(says_of(logits.open, "/interface/input/scale", "0.485"));
  EXPECT_TRUE(says_of(logits.open, "/labels", "1000 classes"));
  const InterfaceGuess ready = guess_of("mobilenet-tf", 1001);
  EXPECT_EQ(std::get<ClassifyDecoder>(ready.interface.decoder).activation, Activation::none);
  EXPECT_EQ(origin_of(ready, "/interface/decoder/activation"), Origin::read);
  EXPECT_EQ(ready.interface.input.layout, profiles::TensorLayout::nhwc);
  // An open first dimension beside a batch of 1 counts detections.
  const OnnxFile detections =
      graph({port("x", {num(1), num(3), num(64), num(64)})}, {port("y", {kOpen, num(7)})});
  EXPECT_EQ(guess_interface(detections).interface.task, NetworkTask::tensor);
}

TEST(InterfaceGuess, SideFilesAreTakenOver) {
  const SideFile side =
      parse_side_file(R"({"do_normalize": true, "image_mean": [0.5, 0.4, 0.3], "resample": 3,
    "image_std": [0.2, 0.2, 0.2], "do_center_crop": true, "crop_size": 224, "size": {"shortest_edge": 224}})",
                      "preprocessor_config.json")
          .value();
  const InterfaceGuess guess = guess_interface(model_file("resnet"), std::array{side});
  EXPECT_EQ(guess.interface.input.mean, (std::array{0.5, 0.4, 0.3}));
  EXPECT_EQ(guess.interface.input.resize, Resize::cover);
  EXPECT_EQ(guess.interface.input.filter, profiles::Filter::cubic);
  EXPECT_EQ(origin_of(guess, "/interface/input/mean"), Origin::read);
  EXPECT_EQ(question(guess.open, "/interface/input/scale"), "");
  SideFile other = side;
  other.size->value = {256, 256};
  EXPECT_TRUE(says_of(guess_interface(model_file("resnet"), std::array{other}).conflicts, "/interface/input",
                      "256x256"));
}

TEST(InterfaceGuess, EverythingElseIsHandedOnAndSaid) {
  for (const char* name : {"blazeface", "text-detector", "text-reader"}) {
    const InterfaceGuess guess = guess_of(name);
    EXPECT_EQ(guess.interface.task, NetworkTask::tensor) << name;
    EXPECT_TRUE(std::holds_alternative<TensorDecoder>(guess.interface.decoder)) << name;
    EXPECT_NE(question(guess.open, "/interface/decoder"), "") << name;
  }
}

TEST(InterfaceGuess, Contradictions) {
  EXPECT_TRUE(
      says_of(guess_of("yolox", 12).conflicts, "/labels", "[1, 3549, 85]: 80 classes; labels has 12"));
  EXPECT_TRUE(says_of(guess_of("yolo11n", 12).conflicts, "/labels", "two sets of labels"));
  LabelList twice = labels_of(1000);
  twice.names[7] = twice.names[3];
  EXPECT_TRUE(
      says_of(guess_interface(model_file("resnet"), {}, &twice).conflicts, "/labels", "listed twice"));
  const OnnxFile batch =
      graph({port("x", {num(8), num(3), num(64), num(64)})}, {port("y", {num(8), num(10)})});
  EXPECT_TRUE(
      says_of(guess_interface(batch).conflicts, "/interface/input", "the batch of [8, 3, 64, 64] is fixed"));
  const OnnxFile sound = graph({port("sound", {num(1), num(16000)})}, {port("y", {num(1), num(10)})});
  EXPECT_TRUE(says_of(guess_interface(sound).conflicts, "/interface/input", "float [1, 16000]"));
  OnnxFile stride = model_file("yolo11n");
  stride.inputs[0].shape = OnnxShape{num(1), num(3), num(320), num(330)};
  EXPECT_NE(to_string(guess_interface(stride).conflicts).find("its metadata's `imgsz` says 320x320"),
            std::string::npos);
  EXPECT_NE(to_string(guess_interface(stride).conflicts).find("not a multiple of the stride 32"),
            std::string::npos);
}

TEST(InterfaceGuess, AmbiguousInputsAreAsked) {
  OnnxFile both = graph({port("x", {num(1), num(3), num(64), num(3)})}, {port("y", {num(1), num(10)})});
  EXPECT_NE(question(guess_interface(both).open, "/interface/input/layout"), "");
  OnnxFile open = graph({port("x", {kOpen, kOpen, kOpen, kOpen})}, {port("y", {num(1), num(10)})});
  EXPECT_NE(question(guess_interface(open).open, "/interface/input/layout"), "");
  OnnxFile second =
      graph({port("x", {num(1), num(3), num(64), num(64)}), port("scale_factor", {num(1), num(2)})},
            {port("y", {num(1), num(10)})});
  EXPECT_TRUE(says_of(guess_interface(second).open, "/interface/constants", "`scale_factor`, float [1, 2]"));
  OnnxFile two = graph(
      {port("left", {num(1), num(3), num(64), num(64)}), port("image", {num(1), num(3), num(64), num(64)})},
      {port("y", {num(1), num(10)})});
  EXPECT_EQ(guess_interface(two).interface.input.name, "image");
  EXPECT_NE(question(guess_interface(two).open, "/interface/input/name"), "");
  OnnxFile gray = graph({port("x", {num(1), num(1), num(64), num(64)})}, {port("y", {num(1), num(10)})});
  EXPECT_EQ(guess_interface(gray).interface.input.color, profiles::ColorOrder::gray);
}

// Every draft that has a size is an interface that the reader takes.
TEST(InterfaceGuess, DraftsAreReadableInterfaces) {
  for (const std::string& name : testing::model_names()) {
    const InterfaceGuess guess = guess_of(name);
    profiles::ModelInterface draft = guess.interface;
    if (draft.input.width == 0) draft.input.width = draft.input.height = 320;
    const auto read = profiles::parse_interface(profiles::to_json(draft), name);
    ASSERT_TRUE(read.ok()) << to_string(read.errors()) << profiles::to_json(draft);
    EXPECT_EQ(read.value(), draft) << profiles::to_json(draft);
    for (const FieldOrigin& field : guess.origins) {
      EXPECT_TRUE(field.pointer.starts_with("/interface/") || field.pointer == "/labels") << field.pointer;
      EXPECT_FALSE(field.why.empty()) << field.pointer;
    }
  }
}

// As every graph that is read.
bool has_names_of_its_own(const OnnxFile& file) {
  std::set<std::string> names;
  for (const OnnxPort& input : file.inputs) names.insert(input.name);
  if (names.size() != file.inputs.size()) return false;
  names.clear();
  for (const OnnxPort& output : file.outputs) names.insert(output.name);
  return names.size() == file.outputs.size();
}

// What is more, every draft is an interface that can be written and read.
TEST(InterfaceGuess, AnyPortsGiveAnAnswer) {
  std::mt19937_64 random(3);
  const std::vector<std::string> names = {"boxes",
                                          "scores",
                                          "labels",
                                          "dets",
                                          "logits",
                                          "output0",
                                          "images",
                                          "detection_boxes",
                                          "detection_scores",
                                          "detection_classes",
                                          "x",
                                          "orig_target_sizes",
                                          "TFLite_Detection_PostProcess"};
  const std::vector<std::string> types = {"float", "float16", "uint8",   "int64",
                                          "int32", "double",  "sequence"};
  const std::vector<std::int64_t> sizes = {1,   2,   3,   4,   6,    16,   32,   64,   80,    84,        85,
                                           112, 300, 320, 640, 2100, 2125, 6300, 8400, 25200, 2147483647};
  const std::vector<std::pair<std::string, std::string>> words = {{"names", "{0: 'a', 1: 'b'}"},
                                                                  {"names", "{0: 'a'"},
                                                                  {"stride", "32"},
                                                                  {"stride", "[0]"},
                                                                  {"task", "segment"},
                                                                  {"task", "pose"},
                                                                  {"imgsz", "[640, 640]"},
                                                                  {"imgsz", "[-1]"},
                                                                  {"imgsz", "[640996400]"},
                                                                  {"kpt_shape", "[17, 3]"},
                                                                  {"kpt_shape", "[9999999999, 9999999999]"},
                                                                  {"end2end", "True"},
                                                                  {"author", "Ultralytics"},
                                                                  {"args", "{'nms': True}"}};
  const auto random_port = [&](std::size_t index) {
    OnnxPort made;
    made.name = names[random() % names.size()] + (random() % 2 == 0 ? "" : std::to_string(index));
    made.type = types[random() % 3 == 0 ? random() % types.size() : 0];
    if (random() % 20 == 0) return made;
    made.shape.emplace();
    for (std::uint64_t i = random() % 6; i > 0; --i) {
      made.shape->push_back(random() % 5 == 0 ? kOpen : OnnxDimension(sizes[random() % sizes.size()]));
    }
    return made;
  };
  std::map<std::string, int> families;
  for (int round = 0; round < 100'000; ++round) {
    OnnxFile file;
    for (std::uint64_t i = random() % 3; i > 0; --i) file.inputs.push_back(random_port(i));
    if (random() % 2 == 0) file.inputs.push_back(port("images", {num(1), num(3), num(640), num(640)}));
    for (std::uint64_t i = random() % 5; i > 0; --i) file.outputs.push_back(random_port(i));
    for (std::uint64_t i = random() % 4; i > 0; --i) file.metadata.push_back(words[random() % words.size()]);
    const LabelList labels = labels_of(random() % 100);
    const InterfaceGuess guess = guess_interface(file, {}, random() % 2 == 0 ? &labels : nullptr);
    ++families[guess.family];
    ASSERT_FALSE(guess.family.empty());
    ASSERT_TRUE(!file.inputs.empty() || !guess.conflicts.empty());
    if (round % 10 != 0 || !has_names_of_its_own(file)) continue;
    profiles::ModelInterface draft = guess.interface;
    draft.input.width = std::max(draft.input.width, 1);  // 0: the question is open
    draft.input.height = std::max(draft.input.height, 1);
    const auto again = profiles::parse_interface(profiles::to_json(draft), "set.json");
    ASSERT_TRUE(again) << to_string(again.errors());
    ASSERT_EQ(again.value(), draft);
  }
  EXPECT_GE(families.size(), 10u);
}

}  // namespace
}  // namespace saccade::vision
