// What is found wrong before the first frame: every contradiction between interface, labels and graph, at its
// place, with what was found and what to do.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/vision/decode/made_outputs.hpp"
#include "vision/decode/complaints.hpp"
#include "vision/decode/decoder.hpp"

namespace saccade::vision::test {
namespace {

using profiles::Background;
using profiles::YoloDecoder;
using profiles::YoloLayout;

profiles::ModelInterface detect(const profiles::Decoder& decoder) {
  profiles::ModelInterface interface;
  interface.task = profiles::NetworkTask::detect;
  interface.decoder = decoder;
  return interface;
}

YoloDecoder yolo(YoloLayout layout, int extra = 0) {
  YoloDecoder decoder;
  decoder.layout = layout;
  decoder.extra = extra;
  return decoder;
}

using Shape64 = std::vector<std::int64_t>;
OutputPort port(const std::string& name, const Shape64& shape) { return {name, shape, std::nullopt}; }

// The complaints, one line each; empty when there are none.
std::string complaints(const profiles::ModelInterface& interface, std::size_t labels,
                       const std::vector<OutputPort>& ports, PixelSize input = {640, 640}) {
  const auto decoder = Decoder::make(interface, labels, input, ports);
  return decoder.ok() ? "" : to_string(decoder.errors());
}

std::string of_yolo(const YoloDecoder& decoder, std::size_t labels, const Shape64& shape,
                    PixelSize input = {640, 640}) {
  return complaints(detect(decoder), labels, {port("output0", shape)}, input);
}

void expect_says(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nin: " << text;
}

TEST(DecoderComplaints, ClassesOfTheGraphAndLabelsDiffer) {
  EXPECT_EQ(
      of_yolo(yolo(YoloLayout::automatic), 12, {1, 84, 8400}),
      "/interface/decoder/output: the graph gives [1, 84, 8400]: 80 classes; labels has 12 (give the labels "
      "that the network was trained with, in its order; columns that are no classes (masks, key points) are "
      "`extra`)");
  expect_says(of_yolo(yolo(YoloLayout::automatic), 12, {1, 25200, 85}),
              {"81 classes; labels has 12", "with objectness there would be 80"});
  expect_says(of_yolo(yolo(YoloLayout::anchors_last), 12, {1, 84, 8400}), {"80 classes; labels has 12"});
  expect_says(of_yolo(yolo(YoloLayout::objectness), 12, {1, 25200, 85}), {"80 classes; labels has 12"});
  expect_says(of_yolo(yolo(YoloLayout::gfl), 12, {1, 8500, 112}), {"80 classes; labels has 12"});
  expect_says(of_yolo(yolo(YoloLayout::end_to_end), 12, {1, 300, 7}),
              {"end_to_end has 6 numbers", "[1, 300, 7]"});
  EXPECT_EQ(of_yolo(yolo(YoloLayout::automatic, 32), 80, {1, 116, 8400}), "");  // with masks
}

TEST(DecoderComplaints, LayoutsAreToldByTheShape) {
  const struct {
    std::size_t labels;
    Shape64 shape;
    PixelSize input;
    YoloLayout layout;
  } cases[] = {{80, {1, 84, 8400}, {640, 640}, YoloLayout::anchors_last},
               {80, {84, 8400}, {640, 640}, YoloLayout::anchors_last},
               {80, {1, 84, -1}, {640, 640}, YoloLayout::anchors_last},
               {80, {-1, 8400, 84}, {640, 640}, YoloLayout::anchors_first},
               {80, {1, 25200, 85}, {640, 640}, YoloLayout::objectness},
               {80, {1, 300, 6}, {640, 640}, YoloLayout::end_to_end},
               {80, {1, -1, 6}, {640, 640}, YoloLayout::end_to_end},
               {80, {1, 2125, 112}, {320, 320}, YoloLayout::gfl},
               {80, {1, 3598, 112}, {416, 416}, YoloLayout::gfl},
               {1, {1, 5, 8400}, {640, 640}, YoloLayout::anchors_last},
               {2, {1, 6, 8400}, {640, 640}, YoloLayout::anchors_last}};
  for (const auto& one : cases) {
    SCOPED_TRACE(testing::Message() << shape_text(one.shape) << ", " << one.labels << " labels");
    EXPECT_EQ(of_yolo(yolo(YoloLayout::automatic), one.labels, one.shape, one.input), "");
    EXPECT_EQ(of_yolo(yolo(one.layout), one.labels, one.shape, one.input), "");
    // It is the only one that fits.
    for (const YoloLayout other :
         {YoloLayout::anchors_last, YoloLayout::anchors_first, YoloLayout::objectness, YoloLayout::end_to_end,
          YoloLayout::yolox, YoloLayout::gfl}) {
      const bool open = *std::min_element(one.shape.begin(), one.shape.end()) <
                        0;  // an open dimension contradicts nothing that is said
      if (other == one.layout || open) continue;
      EXPECT_NE(of_yolo(yolo(other), one.labels, one.shape, one.input), "") << static_cast<int>(other);
    }
  }
}

TEST(DecoderComplaints, AnAmbiguousLayoutMustBeNamed) {
  const struct {
    std::size_t labels;
    Shape64 shape;
    std::string names;
  } cases[] = {{1, {1, 300, 6}, "objectness, end_to_end"},
               {2, {1, 300, 6}, "anchors_first, end_to_end"},
               {80, {1, 8400, 85}, "objectness, yolox"},  // YOLOX decoded in the graph, or raw
               {80, {1, -1, 85}, "objectness, yolox"}};
  for (const auto& one : cases) {
    expect_says(of_yolo(yolo(YoloLayout::automatic), one.labels, one.shape),
                {"/interface/decoder/layout", shape_text(one.shape), "is any of " + one.names});
  }
  EXPECT_EQ(of_yolo(yolo(YoloLayout::end_to_end), 1, {1, 300, 6}), "");
  expect_says(of_yolo(yolo(YoloLayout::automatic), 80, {1, -1, -1}),
              {"cannot be seen", "name it: anchors_last"});
  expect_says(complaints(detect(yolo(YoloLayout::automatic)), 80, {}), {"is not known"});
  EXPECT_EQ(complaints(detect(yolo(YoloLayout::anchors_last)), 80, {}), "");
}

TEST(DecoderComplaints, AnotherLayoutFits) {
  expect_says(of_yolo(yolo(YoloLayout::anchors_first), 80, {1, 84, 8400}),
              {"/interface/decoder/layout", "which is not anchors_first", "anchors_last fits"});
}

TEST(DecoderComplaints, CandidatesDoNotFitTheStrides) {
  EXPECT_EQ(of_yolo(yolo(YoloLayout::yolox), 80, {1, 8400, 85}), "");
  expect_says(of_yolo(yolo(YoloLayout::yolox), 80, {1, 8400, 85}, {416, 416}),
              {"/interface/decoder/strides", "8400 candidates", "416 x 416 has 3549 cells", "8, 16, 32"});
  EXPECT_EQ(of_yolo(yolo(YoloLayout::gfl), 80, {1, 2125, 112}, {320, 320}), "");
  EXPECT_EQ(of_yolo(yolo(YoloLayout::gfl), 80, {1, 2100, 112}, {320, 320}), "");  // three levels
  expect_says(of_yolo(yolo(YoloLayout::gfl), 80, {1, 2000, 112}, {320, 320}),
              {"2000 candidates", "has 2125 cells", "8, 16, 32, 64"});
}

TEST(DecoderComplaints, SeveralAtOnce) {
  YoloDecoder decoder = yolo(YoloLayout::yolox, -1);
  decoder.strides = {};
  decoder.bins = 1;
  decoder.output = "boxes";
  const std::string text = of_yolo(decoder, 80, {1, 8400, 85});
  expect_says(text,
              {"/interface/decoder/output: the graph has no output 'boxes' (it has output0 [1, 8400, 85])",
               "/interface/decoder/strides", "/interface/decoder/bins", "/interface/decoder/extra"});
  YoloDecoder raw = yolo(YoloLayout::yolox);
  raw.box = profiles::BoxForm::xyxy;
  raw.unit = profiles::BoxUnit::fraction;
  expect_says(of_yolo(raw, 80, {1, 8400, 85}), {"/interface/decoder/box", "/interface/decoder/unit"});
}

TEST(DecoderComplaints, OutputsAreMissingOrOfAnotherRankOrType) {
  expect_says(of_yolo(yolo(YoloLayout::anchors_last), 80, {84}),
              {"'output0' is [84]; expected is [1, ?, ?]"});
  expect_says(of_yolo(yolo(YoloLayout::anchors_last), 80, {1, 3, 84, 8400}), {"expected is [1, ?, ?]"});
  expect_says(complaints(detect(yolo(YoloLayout::anchors_last)), 80,
                         {port("output0", {1, 116, 8400}), port("output1", {1, 32, 160, 160})}),
              {"the graph has 2 outputs and none is named", "output1 [1, 32, 160, 160]"});
  expect_says(complaints(detect(yolo(YoloLayout::anchors_last)), 80,
                         {{"output0", Shape64{1, 84, 8400}, profiles::ElementType::uint8}}),
              {"quantised", "dequantised"});
  EXPECT_EQ(complaints(detect(yolo(YoloLayout::anchors_last)), 80,
                       {{"output0", std::nullopt, profiles::ElementType::fp16}}),
            "");
}

TEST(DecoderComplaints, NoLabelsOrAnotherTask) {
  expect_says(of_yolo(yolo(YoloLayout::anchors_last), 0, {1, 84, 8400}),
              {"/interface/decoder: there are no labels"});
  profiles::ModelInterface interface = detect(yolo(YoloLayout::anchors_last));
  interface.task = profiles::NetworkTask::classify;
  expect_says(complaints(interface, 3, {}), {"/interface/decoder/type", "does not belong"});
}

TEST(DecoderComplaints, Ssd) {
  profiles::SsdDecoder decoder;
  std::vector<OutputPort> ports = {port("detection_boxes", {1, 100, 4}), port("detection_scores", {1, 100}),
                                   port("detection_classes", {1, 100}), port("num_detections", {1})};
  EXPECT_EQ(complaints(detect(decoder), 90, ports), "");
  ports.pop_back();  // the number of rows may be missing
  EXPECT_EQ(complaints(detect(decoder), 90, ports), "");
  ports[0] = port("detection_boxes", {1, 50, 4});
  ports.pop_back();
  const std::string text = complaints(detect(decoder), 90, ports);
  expect_says(
      text, {"/interface/decoder/classes: the graph has no output 'detection_classes'",
             "/interface/decoder/scores: 'detection_scores' is [1, 100] and 'detection_boxes' has 50 boxes"});
  decoder.boxes = "b";
  decoder.scores = "s";
  EXPECT_EQ(complaints(detect(decoder), 90, {port("b", {1, 100, 4}), port("s", {1, 100, 91})}), "");
  EXPECT_EQ(complaints(detect(decoder), 1, {port("b", {1, 100, 4}), port("s", {1, 100, 2})}), "");
  expect_says(
      complaints(detect(decoder), 80, {port("b", {1, 100, 5}), port("s", {1, 100, 91})}),
      {"/interface/decoder/boxes: 'b' is [1, 100, 5]; expected is [1, ?, 4]", "90 classes; labels has 80"});
  decoder.class_offset = 0;  // a single class without a dimension for it
  EXPECT_EQ(complaints(detect(decoder), 1, {port("b", {1, 100, 4}), port("s", {1, 100})}), "");
  decoder.class_offset = -1;
  expect_says(complaints(detect(decoder), 80, {}), {"/interface/decoder/class_offset"});
  decoder.boxes.clear();
  expect_says(complaints(detect(decoder), 80, {}), {"class_offset"});
}

TEST(DecoderComplaints, Detr) {
  profiles::DetrDecoder decoder;
  EXPECT_EQ(complaints(detect(decoder), 80, {port("logits", {1, 300, 80}), port("pred_boxes", {1, 300, 4})}),
            "");
  EXPECT_EQ(complaints(detect(decoder), 80,
                       {port("labels", {1, 300}), port("boxes", {1, 300, 4}), port("scores", {1, 300})}),
            "");
  // RF-DETR: `labels` are logits there.
  const std::vector<OutputPort> rf = {port("dets", {1, 300, 4}), port("labels", {1, 300, 91})};
  expect_says(complaints(detect(decoder), 90, rf),
              {"91 classes; labels has 90", "`background`: first or last"});
  decoder.background = Background::first;
  EXPECT_EQ(complaints(detect(decoder), 90, rf), "");
  expect_says(complaints(detect(decoder), 80, rf), {"/interface/decoder/logits", "not named"});
  // Four classes look like boxes.
  decoder.background = Background::none;
  expect_says(complaints(detect(decoder), 4, {port("a", {1, 300, 4}), port("b", {1, 300, 4})}),
              {"/interface/decoder/boxes", "/interface/decoder/logits", "a [1, 300, 4], b [1, 300, 4]"});
  decoder.boxes = "b";
  EXPECT_EQ(complaints(detect(decoder), 4, {port("a", {1, 300, 4}), port("b", {1, 300, 4})}), "");
  decoder.scores = "s";
  decoder.logits = "a";
  expect_says(
      complaints(detect(decoder), 4, {port("a", {1, 300, 4}), port("b", {1, 300, 4}), port("s", {1, 200})}),
      {"both logits and labels or scores are named", "/interface/decoder/labels",
       "'s' is [1, 200] and 'b' has 300 boxes"});
}

TEST(DecoderComplaints, BoxesInPixelsOfTheFrame) {
  profiles::DetrDecoder decoder;
  decoder.labels = "labels";
  decoder.boxes = "boxes";
  decoder.scores = "scores";
  decoder.box = profiles::BoxForm::xyxy;
  decoder.unit = profiles::BoxUnit::input_pixels;
  profiles::ModelInterface interface = detect(decoder);
  profiles::ConstantInput sizes;
  sizes.name = "orig_target_sizes";
  sizes.value = {profiles::Dimension::input_width, profiles::Dimension::input_height};
  interface.constants = {sizes};
  EXPECT_EQ(complaints(interface, 80, {}), "");
  interface.constants[0].value = {profiles::Dimension::frame_width, profiles::Dimension::frame_height};
  expect_says(complaints(interface, 80, {}),
              {"/interface/constants/0/value", "pixels of the frame", "use input_width and input_height"});
}

TEST(DecoderComplaints, Classify) {
  profiles::ModelInterface interface;
  EXPECT_EQ(complaints(interface, 12, {port("logits", {1, 12})}), "");
  EXPECT_EQ(complaints(interface, 12, {port("logits", {12})}), "");
  EXPECT_EQ(complaints(interface, 12, {port("logits", {-1, 12})}), "");
  expect_says(complaints(interface, 12, {port("logits", {1, 1000})}),
              {"the graph gives [1, 1000]: 1000 classes; labels has 12"});
  expect_says(complaints(interface, 12, {port("logits", {1, 12, 7, 7})}), {"expected is [1, 12]"});
}

TEST(DecoderComplaints, Tensor) {
  profiles::ModelInterface interface;
  interface.task = profiles::NetworkTask::tensor;
  interface.decoder.emplace<profiles::TensorDecoder>().outputs = {"a", "c"};
  expect_says(complaints(interface, 0, {port("a", {1, 2}), port("b", {1})}),
              {"/interface/decoder/outputs/1: the graph has no output 'c' (it has a [1, 2], b [1])"});
  interface.decoder.emplace<profiles::TensorDecoder>();
  EXPECT_EQ(complaints(interface, 0, {port("a", {1, 4, 1024, 1024})}), "");
  expect_says(complaints(interface, 0, {port("a", {1, 4, 1024, 1024}), port("b", {1})}),
              {"more than 16 MiB"});
  expect_says(complaints(interface, 0, {port("a", {std::int64_t{1} << 62, std::int64_t{1} << 62})}),
              {"more than 16 MiB"});
}

}  // namespace
}  // namespace saccade::vision::test
