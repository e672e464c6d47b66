// A model file of every family: its graph gives known boxes, `check` accepts it, the engine runs it, and the
// boxes of the frame are where they are known to be, at the borders of the picture and in the padding too.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime/engines/frame_decoder.hpp"
#include "tests/conformance/engine_models.hpp"
#include "tests/support/onnx_graph.hpp"
#include "tests/vision/decode/made_outputs.hpp"
#include "vision/model/graph_check.hpp"

namespace saccade::runtime {
namespace {

using test::OnnxConstant;
using test::OnnxNode;
using test::OnnxPort;
using test::OnnxType;
using vision::test::Family;
using vision::test::Known;
using vision::test::Made;

constexpr int kSide = 320;  // of the input
constexpr int kLabels = 5;
constexpr int kWidth = 640;  // of the frame: above and below it are 40 lines of padding
constexpr int kHeight = 480;

// In pixels of the input. The second ends beyond the picture, the third in the padding; the last lies in it
// alone.
const std::vector<Known> kBoxes = {{30, 70, 95, 140, 0, 0.9},
                                   {265, 150, 335, 215, 4, 0.8},
                                   {120, 10, 190, 75, 2, 0.7},
                                   {130, 180, 200, 250, 2, 0.6},
                                   {220, 5, 250, 32, 1, 0.95}};

template <class Number>
constexpr OnnxType type_of() {
  if constexpr (std::is_same_v<Number, float>) return OnnxType::fp32;
  if constexpr (std::is_same_v<Number, std::int64_t>) return OnnxType::int64;
  if constexpr (std::is_same_v<Number, std::int32_t>) return OnnxType::int32;
  return OnnxType::uint8;
}

// Whatever the picture, it answers what was made.
std::string graph_of(const Made& made) {
  std::vector<OnnxPort> inputs = {{"images", OnnxType::fp32, {1, 3, kSide, kSide}}};
  for (const profiles::ConstantInput& constant : made.interface.constants)
    inputs.push_back({constant.name, OnnxType::int64, {1, 2}});
  std::vector<OnnxPort> outputs;
  std::vector<OnnxNode> nodes;
  std::vector<OnnxConstant> constants;
  for (const vision::test::MadeOutput& output : made.outputs) {
    std::visit(
        [&]<class Number>(const std::vector<Number>& numbers) {
          const auto* const first = reinterpret_cast<const char*>(numbers.data());
          outputs.push_back({output.name, type_of<Number>(), output.shape});
          constants.push_back({{output.name + "/made", type_of<Number>(), output.shape},
                               std::string(first, numbers.size() * sizeof(Number))});
        },
        output.numbers);
    nodes.push_back({"Identity", {output.name + "/made"}, {output.name}});
  }
  return test::onnx_model(inputs, outputs, nodes, constants);
}

Made made_for(Family family) {
  vision::test::Random random(20261125);
  profiles::PictureInput input;
  input.name = "images";
  input.width = input.height = kSide;
  input.resize = profiles::Resize::letterbox;
  Made made = vision::test::make_outputs(family, input, kLabels, kBoxes, 200, random);
  if (family == Family::detr_ready) {
    using profiles::Dimension;
    made.interface.constants = {{"orig_target_sizes",
                                 profiles::ElementType::int64,
                                 {Dimension::input_width, Dimension::input_height}}};
  }
  return made;
}

profiles::ProfileSet set_of(const Made& made, const std::filesystem::path& model) {
  profiles::ProfileSet set;
  set.network = "made";
  set.device = {"test", {ProcessorId("cpu")}, std::nullopt};
  set.directory = model.parent_path();
  set.input = {kSide, kSide, 3};
  set.interface = made.interface;
  for (int i = 0; i < kLabels; ++i) set.labels.push_back("thing " + std::to_string(i));
  profiles::Variant variant;
  variant.id = VariantId("made");
  variant.model = model.filename().string();
  variant.frame_time[ProcessorId("cpu")] = Seconds(1e-3);
  set.variants.push_back(std::move(variant));
  return set;
}

// Of the frame; those that lie in the padding alone are none.
std::vector<vision::Object> expected_objects(const profiles::PictureInput& input) {
  const vision::test::Map map = vision::test::map_of(input, {0, 0, kWidth, kHeight});
  const auto on = [](const vision::test::Axis& axis, double value, int size) {
    return static_cast<float>(std::clamp((value - axis.offset) / axis.scale, 0.0, static_cast<double>(size)));
  };
  std::vector<vision::Object> objects;
  for (const Known& box : kBoxes) {
    const float left = on(map.x, box.left, kWidth);
    const float top = on(map.y, box.top, kHeight);
    const float width = on(map.x, box.right, kWidth) - left;
    const float height = on(map.y, box.bottom, kHeight) - top;
    if (width > 0.0F && height > 0.0F) objects.push_back({{left, top, width, height}, box.label, 0.0F});
  }
  return objects;
}

class FamilyGraphs : public testing::TestWithParam<Family> {};

TEST_P(FamilyGraphs, KnownBoxesComeFromTheModelFile) {
  const auto backend = make_backend("onnxruntime");
  if (!backend) GTEST_SKIP() << to_string(backend.errors());
  const Made made = made_for(GetParam());
  const conformance::TemporaryFile model(graph_of(made));
  const profiles::ProfileSet set = set_of(made, model.path());
  auto graph = vision::read_onnx_file(model.path());
  ASSERT_TRUE(graph.ok()) << to_string(graph.errors());
  const vision::VariantGraph checked[] = {{0, std::move(graph).value()}};
  EXPECT_EQ(to_string(vision::check_graphs(set, checked)), "");

  const auto engine = conformance::load(*backend.value(), engine_spec(set, 0, 1));
  ASSERT_NE(engine, nullptr);
  auto decoder = FrameDecoder::make(set.interface, set.labels.size(), *engine, "made");
  ASSERT_TRUE(decoder.ok()) << to_string(decoder.errors());
  Picture picture;
  picture.resize(kWidth, kHeight);
  ASSERT_TRUE(engine->prepare(0, picture, picture.whole()));
  Outputs outputs;
  ASSERT_TRUE(engine->infer(outputs));
  ASSERT_TRUE(decoder.value().fits(outputs));
  FrameResult result;
  const std::vector<PixelBox> regions = {picture.whole()};
  const Status decoded = decoder.value().decode(outputs, {&picture, regions, false}, result);
  ASSERT_TRUE(decoded) << to_string(decoded.errors());

  const std::vector<vision::Object> expected = expected_objects(made.interface.input);
  ASSERT_EQ(expected.size(), kBoxes.size() - 1);
  EXPECT_EQ(result.objects.size(), expected.size());
  for (const vision::Object& wanted : expected) {
    const auto near = [&](float a, float b) { return std::abs(a - b) <= 0.5F; };
    EXPECT_TRUE(std::any_of(result.objects.begin(), result.objects.end(),
                            [&](const vision::Object& object) {
                              return object.label == wanted.label && near(object.box.x, wanted.box.x) &&
                                     near(object.box.y, wanted.box.y) &&
                                     near(object.box.width, wanted.box.width) &&
                                     near(object.box.height, wanted.box.height);
                            }))
        << "label " << wanted.label << " at " << wanted.box.x << ", " << wanted.box.y;
  }
}

INSTANTIATE_TEST_SUITE_P(Families, FamilyGraphs, testing::ValuesIn(vision::test::kFamilies),
                         [](const auto& family) { return name_of(family.param); });

}  // namespace
}  // namespace saccade::runtime
