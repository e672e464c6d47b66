// Cut models: what they hold. That they compute what the whole computes is in
// tests/runtime/engines/stages_test.
#include "vision/model/onnx_cut.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/support/onnx_graph.hpp"
#include "tests/support/temporary_folder.hpp"

namespace saccade::vision {
namespace {

namespace fs = std::filesystem;

OnnxFile file_of(const CutModel& model) {
  std::istringstream in(model.bytes);
  auto file = parse_onnx(in, model.bytes.size(), "cut");
  EXPECT_TRUE(file) << (file ? "" : to_string(file.errors()));
  return file ? std::move(file).value() : OnnxFile{};
}

OnnxCutter cutter_of(const fs::path& path, const ChainOptions& options = {}) {
  auto cutter = OnnxCutter::open(path, options);
  EXPECT_TRUE(cutter) << (cutter ? "" : to_string(cutter.errors()));
  return std::move(cutter).value();
}

std::set<std::string> names_of(const std::vector<LiveTensor>& tensors) {
  std::set<std::string> names;
  for (const LiveTensor& tensor : tensors) names.insert(tensor.name);
  return names;
}

TEST(OnnxCut, GroupsShareOutNodesWeightsAndPorts) {
  for (const char* network :
       {"densenet-signs/w0.25-d0.50", "googlenet-defects/w0.25-d0.50", "pnasnet-parking/w0.25-d0.50",
        "resnext-vehicles/w0.25-d0.33", "mobilenet_v2-glyphs/w0.25-d0.50"}) {
    SCOPED_TRACE(network);
    const fs::path path =
        fs::path(SACCADE_SOURCE_DIR) / "profiles/zoo" / (std::string(network) + "-fp32.onnx");
    const OnnxFile whole = read_onnx_file(path).value();
    const OnnxCutter cutter = cutter_of(path);
    const OnnxChain& chain = cutter.chain();
    std::size_t nodes = 0;
    std::uint64_t weights = 0;
    for (std::size_t k = 0; k < chain.groups.size(); ++k) {
      const CutModel model = cutter.cut(k, k + 1);
      const OnnxFile part = file_of(model);
      nodes += part.nodes;
      weights += part.weight_bytes;
      EXPECT_EQ(part.opsets, whole.opsets);
      EXPECT_EQ(names_of(model.inputs), names_of(chain.groups[k].inputs));
      EXPECT_EQ(names_of(model.outputs),
                names_of(k + 1 < chain.groups.size() ? chain.groups[k + 1].inputs : chain.outputs));
      ASSERT_EQ(part.inputs.size(), 1U);
      for (const OnnxDimension& side : part.inputs[0].shape.value())
        EXPECT_TRUE(std::holds_alternative<std::int64_t>(side)) << "shapes are closed";
    }
    EXPECT_GE(nodes, whole.nodes);  // constants are made again where they are needed
    EXPECT_GE(weights, whole.weight_bytes * 99 / 100);
    EXPECT_LE(weights, whole.weight_bytes * 101 / 100);
    const OnnxFile all = file_of(cutter.cut(0, chain.groups.size()));
    EXPECT_EQ(all.nodes, whole.nodes);
    ASSERT_EQ(all.outputs.size(), whole.outputs.size());
    EXPECT_EQ(all.outputs[0].name, whole.outputs[0].name);
  }
}

TEST(OnnxCut, TheSameCutIsTheSameFile) {
  const fs::path path = fs::path(SACCADE_SOURCE_DIR) / "profiles/zoo/resnext-vehicles/w0.25-d0.33-fp32.onnx";
  EXPECT_EQ(cutter_of(path).cut(1, 3).bytes, cutter_of(path).cut(1, 3).bytes);
}

class SmallGraphs : public ::testing::Test {
 protected:
  OnnxCutter cutter(const std::vector<test::OnnxNode>& nodes, std::size_t live) {
    const fs::path path = folder_ / "graph.onnx";
    std::ofstream(path, std::ios::binary) << test::onnx_model({{"X", test::OnnxType::fp32, {1, 4}}},
                                                              {{"Y", test::OnnxType::fp32, {1, 4}}}, nodes);
    ChainOptions options;
    options.max_live_tensors = live;
    return cutter_of(path, options);
  }
  test::TemporaryFolder folder_;
};

TEST_F(SmallGraphs, NoCutLeavesThePictureBehind) {
  const OnnxCutter made = cutter(
      {{"Neg", {"X"}, {"A"}}, {"Exp", {"A"}, {"B"}}, {"Mul", {"B", "X"}, {"C"}}, {"Abs", {"C"}, {"Y"}}}, 4);
  EXPECT_EQ(made.chain().groups.size(), 2U);  // before Abs alone
  ASSERT_EQ(made.chain().unknown.size(), 2U);
  EXPECT_NE(made.chain().unknown[0].find("the network's own input `X` is still needed"), std::string::npos);
}

TEST_F(SmallGraphs, WhatPassesAGroupUnusedIsNoPortOfIt) {
  const OnnxCutter made = cutter(
      {{"Neg", {"X"}, {"A"}}, {"Exp", {"A"}, {"B"}}, {"Neg", {"B"}, {"C"}}, {"Mul", {"A", "C"}, {"Y"}}}, 2);
  ASSERT_EQ(made.chain().groups.size(), 4U);
  EXPECT_EQ(names_of(made.chain().groups[2].inputs), (std::set<std::string>{"A", "B"}));
  const CutModel middle = made.cut(2, 3);
  EXPECT_EQ(names_of(middle.inputs), (std::set<std::string>{"B"}));
  EXPECT_EQ(names_of(middle.outputs), (std::set<std::string>{"C"}));
  EXPECT_EQ(names_of(made.cut(3, 4).inputs), (std::set<std::string>{"A", "C"}));
  EXPECT_EQ(names_of(made.cut(0, 2).outputs), (std::set<std::string>{"A", "B"}));
}

TEST_F(SmallGraphs, NumbersThatNoEngineHandsOnAreNoCut) {
  const OnnxCutter made = cutter({{"Neg", {"X"}, {"A"}},
                                  {"Cast", {"A"}, {"B"}, {{"to", 11}}},
                                  {"Cast", {"B"}, {"C"}, {{"to", 1}}},
                                  {"Abs", {"C"}, {"Y"}}},
                                 1);
  EXPECT_EQ(made.chain().groups.size(), 3U);
  ASSERT_EQ(made.chain().unknown.size(), 1U);
  EXPECT_NE(made.chain().unknown[0].find("`B` holds numbers of a type that no engine hands on"),
            std::string::npos);
}

TEST_F(SmallGraphs, AShapeThatDependsOnNumbersIsNoCut) {
  const fs::path path = folder_ / "counted.onnx";
  std::ofstream(path, std::ios::binary)
      << test::onnx_model({{"X", test::OnnxType::fp32, {1, 4}}}, {{"Y", test::OnnxType::fp32, {1, 1}}},
                          {{"Neg", {"X"}, {"A"}},
                           {"NonZero", {"A"}, {"B"}},
                           {"Cast", {"B"}, {"C"}, {{"to", 1}}},
                           {"ReduceMax", {"C"}, {"Y"}}});
  const auto chain = read_onnx_chain(path);
  ASSERT_TRUE(chain) << to_string(chain.errors());
  EXPECT_EQ(chain.value().groups.size(), 2U) << "before NonZero alone";
  ASSERT_EQ(chain.value().unknown.size(), 2U);
  EXPECT_EQ(chain.value().unknown[0], "after NonZero: the shape of `B` is not known");
  EXPECT_EQ(chain.value().unknown[1], "after Cast: the shape of `C` is not known");
}

TEST_F(SmallGraphs, EveryOpenSideOfTheInputIsToldAtOnce) {
  const fs::path path = folder_ / "open.onnx";
  std::ofstream(path, std::ios::binary) << test::onnx_model({{"X", test::OnnxType::fp32, {-1, 3, -1, -1}}},
                                                            {{"Y", test::OnnxType::fp32, {-1, 3, -1, -1}}},
                                                            {{"Neg", {"X"}, {"A"}}, {"Abs", {"A"}, {"Y"}}});
  const auto chain = read_onnx_chain(path);
  ASSERT_FALSE(chain);
  ASSERT_EQ(chain.errors().size(), 2U) << "an open batch is one picture";
  EXPECT_EQ(chain.errors()[0].what,
            "side 2 of the input `X` is open, so what crosses a boundary has no size");
  EXPECT_NE(chain.errors()[1].what.find("side 3 of the input `X`"), std::string::npos);
}

// Channels last: the sides of the picture are 1 and 2. Another input's open side has no size.
TEST_F(SmallGraphs, TheLayoutSaysWhichSidesArePixels) {
  const fs::path path = folder_ / "last.onnx";
  const auto write = [&](const std::vector<test::OnnxPort>& inputs) {
    std::ofstream(path, std::ios::binary)
        << test::onnx_model(inputs, {{"Y", test::OnnxType::fp32, {-1, -1, -1, 3}}},
                            {{"Neg", {"X"}, {"A"}}, {"Abs", {"A"}, {"Y"}}});
  };
  ChainOptions options;
  options.picture.emplace();
  options.picture->width = 20;
  options.picture->height = 10;
  for (const auto layout :
       {std::optional<profiles::TensorLayout>(), std::optional(profiles::TensorLayout::nhwc)}) {
    options.picture->layout = layout;
    write({{"X", test::OnnxType::fp32, {-1, -1, -1, 3}}});
    const OnnxCutter made = cutter_of(path, options);
    ASSERT_EQ(made.chain().groups.size(), 2U);
    EXPECT_EQ(made.chain().groups[1].inputs[0].shape, (std::vector<std::int64_t>{1, 10, 20, 3}));
    EXPECT_EQ(made.cut(1, 2).outputs[0].shape, (std::vector<std::int64_t>{1, 10, 20, 3}));
  }
  write({{"X", test::OnnxType::fp32, {-1, -1, -1, 3}}, {"Z", test::OnnxType::fp32, {1, -1}}});
  const auto refused = read_onnx_chain(path, options);
  ASSERT_FALSE(refused);
  ASSERT_EQ(refused.errors().size(), 1U);
  EXPECT_NE(refused.errors()[0].what.find("side 1 of the input `Z`"), std::string::npos);
}

TEST(OnnxCut, WhatIsNoModelIsRefused) {
  EXPECT_FALSE(OnnxCutter::open("no-such-file.onnx"));
  EXPECT_FALSE(OnnxCutter::open(fs::path(SACCADE_SOURCE_DIR) / "README.md"));
}

}  // namespace
}  // namespace saccade::vision
