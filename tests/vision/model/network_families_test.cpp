// The families of networks whose interface is recognised from the graph and what is written beside it.
#include <gtest/gtest.h>

#include "profiles/interface_io.hpp"
#include "tests/vision/model/guesses.hpp"
#include "vision/model/interface_guess.hpp"

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
using profiles::YoloLayout;
using testing::detr_of;
using testing::graph;
using testing::guess_of;
using testing::kOpen;
using testing::labels_of;
using testing::model_file;
using testing::num;
using testing::origin_of;
using testing::port;
using testing::question;
using testing::says_of;
using testing::ssd_of;
using testing::yolo_graph;
using testing::yolo_of;

TEST(NetworkFamilies, Yolo11WithUltralyticsMetadataNeedsNothing) {
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

TEST(NetworkFamilies, OpenSidesComeFromTheMetadata) {
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

TEST(NetworkFamilies, ASizeThatNoPictureHasIsNotTaken) {
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

TEST(NetworkFamilies, UltralyticsOtherTasks) {
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

TEST(NetworkFamilies, EndToEnd) {
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

TEST(NetworkFamilies, SixColumnsAreNeverDecidedInSilence) {
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

TEST(NetworkFamilies, Yolov5) {
  const InterfaceGuess guess = guess_of("yolov5s");
  EXPECT_EQ(yolo_of(guess).layout, YoloLayout::objectness);
  EXPECT_EQ(guess.labels.size(), 80u);
  EXPECT_EQ(guess.interface.input.resize, Resize::letterbox);
  EXPECT_EQ(to_string(guess.conflicts) + to_string(guess.open), "");
}

TEST(NetworkFamilies, Yolox) {
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

TEST(NetworkFamilies, NanoDet) {
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

TEST(NetworkFamilies, TransposedAndPlainYolo) {
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

TEST(NetworkFamilies, SsdOfTensorFlow) {
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

OnnxFile lite_graph(const std::string& type) {
  const OnnxShape rows = {num(1), num(10)};
  return graph({port("normalized_input_image_tensor", {num(1), num(300), num(300), num(3)}, type)},
               {port("TFLite_Detection_PostProcess", {num(1), num(10), num(4)}),
                port("TFLite_Detection_PostProcess:1", rows), port("TFLite_Detection_PostProcess:2", rows),
                port("TFLite_Detection_PostProcess:3", {num(1)})});
}

// The classes of COCO have the numbers 1 ... 90 there, and only 80 of them a name.
TEST(NetworkFamilies, NumberedClassesOfTensorFlowAreAsked) {
  EXPECT_TRUE(says_of(guess_of("ssd-tensorflow", 80).open, "/labels", "labels has 80"));
  EXPECT_TRUE(says_of(guess_of("ssd-tensorflow", 80).open, "/labels", "every number from 1"));
  EXPECT_TRUE(says_of(guess_of("ssd-tensorflow", 91).open, "/labels", "labels has 91"));
  EXPECT_EQ(question(guess_of("ssd-tensorflow", 90).open, "/labels"), "");
  EXPECT_TRUE(says_of(guess_of("ssd-tensorflow").open, "/labels", "every number from 1"));
  const LabelList coco = labels_of(80);
  EXPECT_TRUE(
      says_of(guess_interface(lite_graph("uint8"), {}, &coco).open, "/labels", "every number from 0"));
  // Outputs with a column per class, the background first, say how many there are.
  for (const char* name : {"detection_multiclass_scores", "raw_detection_scores"}) {
    OnnxFile file = model_file("ssd-tensorflow");
    file.outputs.insert(file.outputs.begin(), port("raw_detection_boxes", {num(1), num(1917), num(4)}));
    file.outputs.insert(file.outputs.begin(), port(name, {num(1), num(1917), num(91)}));
    const InterfaceGuess guess = guess_interface(file, {}, &coco);
    EXPECT_EQ(ssd_of(guess).boxes, "detection_boxes") << name;
    EXPECT_EQ(ssd_of(guess).scores, "detection_scores") << name;
    EXPECT_TRUE(says_of(guess.conflicts, "/labels", "90 classes; labels has 80"))
        << to_string(guess.conflicts);
    const LabelList all = labels_of(90);
    EXPECT_EQ(to_string(guess_interface(file, {}, &all).conflicts), "") << name;
    EXPECT_EQ(question(guess_interface(file, {}, &all).open, "/labels"), "") << name;
    // As many as columns: the background is among them, or there is none (EfficientDet).
    const LabelList more = labels_of(91);
    EXPECT_EQ(to_string(guess_interface(file, {}, &more).conflicts), "") << name;
    EXPECT_TRUE(says_of(guess_interface(file, {}, &more).open, "/labels", "labels has 91")) << name;
  }
}

TEST(NetworkFamilies, FloatInputsOfTensorFlow) {
  const InterfaceGuess lite = guess_interface(lite_graph("float"));
  EXPECT_DOUBLE_EQ(lite.interface.input.scale, 1.0 / 255.0);
  EXPECT_EQ(lite.interface.input.mean, (std::array{0.5, 0.5, 0.5})) << "pixels from -1 to 1";
  EXPECT_EQ(lite.interface.input.std, (std::array{0.5, 0.5, 0.5}));
  EXPECT_EQ(origin_of(lite, "/interface/input/mean"), Origin::guessed);
  EXPECT_EQ(question(lite.open, "/interface/input/scale"), "");
  EXPECT_EQ(guess_interface(lite_graph("uint8")).interface.input.mean, (std::array{0.0, 0.0, 0.0}));
  // Graphs of the detection API may scale their pixels themselves.
  OnnxFile file = model_file("ssd-tensorflow");
  file.inputs.front().type = "float";
  const InterfaceGuess guess = guess_interface(file);
  EXPECT_EQ(origin_of(guess, "/interface/input/scale"), Origin::assumed);
  EXPECT_NE(question(guess.open, "/interface/input/scale"), "");
  EXPECT_EQ(guess.interface.input.resize, Resize::stretch);
  EXPECT_EQ(origin_of(guess, "/interface/input/resize"), Origin::guessed);
}

TEST(NetworkFamilies, SsdOfTensorFlowLiteAndOfTensorRt) {
  const InterfaceGuess lite = guess_interface(lite_graph("uint8"));
  EXPECT_EQ(ssd_of(lite).classes, "TFLite_Detection_PostProcess:1");
  EXPECT_EQ(ssd_of(lite).class_offset, 0);
  const InterfaceGuess trt = guess_interface(
      graph({port("images", {num(1), num(3), num(640), num(640)})},
            {port("num_dets", {num(1), num(1)}, "int32"), port("det_boxes", {num(1), num(100), num(4)}),
             port("det_scores", {num(1), num(100)}), port("det_classes", {num(1), num(100)}, "int32")}));
  EXPECT_EQ(ssd_of(trt).box, BoxForm::xyxy);
  EXPECT_EQ(ssd_of(trt).unit, BoxUnit::input_pixels);
}

TEST(NetworkFamilies, RtDetrWithItsDecoder) {
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

TEST(NetworkFamilies, DetrsTellTheirBackgroundByTheLabels) {
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

// One column more than labels: DETR's last one means "nothing", others' need not, and have no softmax.
TEST(NetworkFamilies, OneColumnMoreIsSettledOnlyForDetrItself) {
  const LabelList labels = labels_of(91);
  const std::string place = "/interface/decoder/background";
  const auto of_type = [&](const std::string& type) {
    const SideFile side = parse_side_file(R"({"model_type": ")" + type + R"("})", "config.json").value();
    return guess_interface(model_file("detr"), std::array{side}, &labels);
  };
  for (const char* type : {"detr", "yolos", "table-transformer"}) {
    const InterfaceGuess guess = of_type(type);
    EXPECT_EQ(detr_of(guess).activation, Activation::softmax) << type;
    EXPECT_EQ(detr_of(guess).background, Background::last) << type;
    EXPECT_EQ(question(guess.open, place), "") << type;
  }
  for (const char* type : {"rt_detr", "rt_detr_v2", "d_fine", "deformable_detr", "conditional_detr"}) {
    const InterfaceGuess guess = of_type(type);
    EXPECT_EQ(detr_of(guess).activation, Activation::sigmoid) << type;
    EXPECT_NE(question(guess.open, place), "") << type;
    EXPECT_EQ(to_string(guess.conflicts), "") << type;
  }
  EXPECT_EQ(detr_of(guess_of("detr", 91)).activation, Activation::softmax);
  EXPECT_NE(question(guess_of("detr", 91).open, place), "") << "nothing says that it is DETR";
  // The words of two side files.
  const SideFile model = parse_side_file(R"({"model_type": "detr"})", "config.json").value();
  const SideFile input =
      parse_side_file(R"({"image_processor_type": "DetrImageProcessor"})", "preprocessor_config.json")
          .value();
  const InterfaceGuess both = guess_interface(model_file("detr"), std::array{model, input}, &labels);
  EXPECT_EQ(question(both.open, place), "");
  EXPECT_EQ(detr_of(guess_interface(model_file("detr"), std::array{model, input})).activation,
            Activation::softmax);
}

TEST(NetworkFamilies, BoxesPerCellAreAsked) {
  const InterfaceGuess guess = guess_of("yolo-nas", 80);
  EXPECT_EQ(ssd_of(guess).scores, "scores");
  EXPECT_EQ(ssd_of(guess).classes, "");
  EXPECT_EQ(guess.interface.selection.iou_threshold, 0.45);
  EXPECT_NE(question(guess.open, "/interface/decoder/box"), "");
}

TEST(NetworkFamilies, Classifiers) {
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

}  // namespace
}  // namespace saccade::vision
