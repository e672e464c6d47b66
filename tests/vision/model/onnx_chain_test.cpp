// Networks as chains: on all fp32 classifiers of the zoo, and what cannot be made one.
#include "vision/model/onnx_chain.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <numeric>

#include "tests/vision/model/model_files.hpp"

namespace saccade::vision {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> zoo_networks() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(SACCADE_SOURCE_DIR) / "profiles/zoo")) {
    // The detector's graphs have open sides; see AGraphWithOpenSidesIsRefusedByName.
    if (entry.path().parent_path().filename() == "yard-detector") continue;
    if (entry.path().filename().string().ends_with("fp32.onnx")) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

OnnxChain chain_of(const fs::path& file, const ChainOptions& options = {}) {
  auto chain = read_onnx_chain(file, options);
  EXPECT_TRUE(chain) << (chain ? "" : to_string(chain.errors()));
  return chain ? std::move(chain).value() : OnnxChain{};
}

TEST(OnnxChain, EveryNetworkOfTheZooIsOne) {
  const auto files = zoo_networks();
  ASSERT_GE(files.size(), 26U);
  for (const fs::path& path : files) {
    SCOPED_TRACE(path.string());
    const OnnxFile file = read_onnx_file(path).value();
    const OnnxChain chain = chain_of(path);
    EXPECT_GE(chain.groups.size(), 4U);
    std::size_t nodes = 0;
    std::uint64_t weights = 0, products = 0;
    for (std::size_t k = 0; k < chain.groups.size(); ++k) {
      const ChainGroup& group = chain.groups[k];
      nodes += group.operators.size();
      weights += group.weight_bytes;
      products += group.multiply_adds;
      ASSERT_EQ(group.inputs.size(), 1U) << k;
      EXPECT_GT(chain.bytes_before(k), 0U) << k;
      EXPECT_GE(group.working_bytes, chain.bytes_before(k)) << k;
      EXPECT_FALSE(operators_text(group).empty());
    }
    EXPECT_EQ(nodes, file.nodes);
    EXPECT_LE(weights, file.weight_bytes);
    EXPECT_GE(static_cast<double>(weights), 0.99 * static_cast<double>(file.weight_bytes));
    EXPECT_GT(products, 0U);
    EXPECT_EQ(chain.groups.front().inputs.front().name, file.inputs.front().name);
  }
}

TEST(OnnxChain, AGraphWithOpenSidesIsRefusedByName) {
  const auto chain =
      read_onnx_chain(fs::path(SACCADE_SOURCE_DIR) / "profiles/zoo/yard-detector/w0.50-fp32.onnx", {});
  ASSERT_FALSE(chain);
  ASSERT_EQ(chain.errors().size(), 2U) << "both sides of the picture";
  EXPECT_NE(chain.errors()[0].what.find("`images`"), std::string::npos);
}

ChainOptions of_picture(int width, int height, const std::string& name = "") {
  ChainOptions options;
  options.picture.emplace();
  options.picture->name = name;
  options.picture->width = width;
  options.picture->height = height;
  return options;
}

TEST(OnnxChain, OpenSidesOfThePictureAreThoseThatAreAskedFor) {
  const fs::path path = fs::path(SACCADE_SOURCE_DIR) / "profiles/zoo/yard-detector/w0.50-fp32.onnx";
  for (const char* name : {"images", ""}) {
    const OnnxChain chain = chain_of(path, of_picture(160, 96, name));
    EXPECT_TRUE(chain.sized);
    EXPECT_GE(chain.groups.size(), 4U);
    EXPECT_EQ(chain.groups.front().inputs.front().shape, (std::vector<std::int64_t>{1, 3, 96, 160}));
    ASSERT_EQ(chain.outputs.size(), 1U);
    EXPECT_EQ(chain.outputs.front().shape.back(), 12 * 20 + 6 * 10 + 3 * 5) << "cells of three strides";
  }
  // Four times the cells, four times the work; the weights are the same.
  const OnnxChain small = chain_of(path, of_picture(96, 96)), large = chain_of(path, of_picture(192, 192));
  ASSERT_EQ(small.groups.size(), large.groups.size());
  for (std::size_t k = 0; k < small.groups.size(); ++k) {
    EXPECT_EQ(4 * small.groups[k].multiply_adds, large.groups[k].multiply_adds);
    EXPECT_EQ(small.groups[k].weight_bytes, large.groups[k].weight_bytes);
  }
  const auto other = read_onnx_chain(path, of_picture(160, 96, "another"));
  ASSERT_FALSE(other) << "the size is of another input";
  EXPECT_EQ(other.errors().size(), 2U);
}

TEST(OnnxChain, AClosedSideStaysAndSaysNothingOfASize) {
  const fs::path path = fs::path(SACCADE_SOURCE_DIR) / "profiles/zoo/resnext-vehicles/w1.00-d1.00-fp32.onnx";
  EXPECT_EQ(chain_of(path, of_picture(512, 512)), chain_of(path));
}

TEST(OnnxChain, MoreLiveTensorsAllowMoreCutsAndCoarseGroupsFewer) {
  for (const fs::path& path : zoo_networks()) {
    SCOPED_TRACE(path.string());
    const std::size_t fine = chain_of(path).groups.size();
    ChainOptions options;
    options.max_live_tensors = 3;
    const OnnxChain more = chain_of(path, options);
    EXPECT_GE(more.groups.size(), fine);
    for (const ChainGroup& group : more.groups) EXPECT_LE(group.inputs.size(), 3U);
    options = {1, ChainGroups::coarse};
    const std::size_t coarse = chain_of(path, options).groups.size();
    EXPECT_LE(coarse, fine);
    EXPECT_GE(coarse, 2U);
  }
}

TEST(OnnxChain, NoCutSeparatesALayerFromItsActivation) {
  for (const fs::path& path : zoo_networks()) {
    for (const ChainGroup& group : chain_of(path).groups) {
      EXPECT_NE(group.operators.front(), "Relu") << path;
    }
  }
}

TEST(OnnxChain, ResidualBlocksAreWhole) {
  // resnext: a convolution, then blocks that end with an addition and its activation.
  const fs::path path = fs::path(SACCADE_SOURCE_DIR) / "profiles/zoo/resnext-vehicles/w1.00-d1.00-fp32.onnx";
  std::map<std::string, int> last;
  for (const ChainGroup& group : chain_of(path).groups) {
    int additions = 0;
    for (const std::string& op : group.operators) additions += op == "Add" ? 1 : 0;
    EXPECT_LE(additions, 1);
    if (additions == 1) ++last[group.operators.back()];
  }
  EXPECT_EQ(last["Relu"] + last["Add"], 9);
}

TEST(OnnxChain, AnOpenSizeIsRefusedWithAllItsSides) {
  const auto chain = read_onnx_chain(testing::models_folder() / "yolo11n-open.onnx");
  ASSERT_FALSE(chain);
  ASSERT_EQ(chain.errors().size(), 2U);  // height and width; the batch is taken as 1
  EXPECT_NE(chain.errors()[0].what.find("side 2 of the input"), std::string::npos);
  EXPECT_NE(chain.errors()[1].what.find("side 3 of the input"), std::string::npos);
}

TEST(OnnxChain, AnOpenDetectorOfAGivenSizeHasShapesThroughout) {
  const auto open = chain_of(testing::models_folder() / "yolo11n-open.onnx", of_picture(64, 96));
  EXPECT_TRUE(open.sized);
  EXPECT_EQ(open.groups.front().inputs.front().shape, (std::vector<std::int64_t>{1, 3, 96, 64}));
}

TEST(OnnxChain, WhatIsNoModelIsRefused) {
  EXPECT_FALSE(read_onnx_chain("no-such-file.onnx"));
  EXPECT_FALSE(read_onnx_chain(fs::path(SACCADE_SOURCE_DIR) / "README.md"));
}

TEST(OnnxChain, EveryModelIsReadOrRefusedWithoutAnEnd) {
  for (const std::string& name : testing::model_names()) {
    const auto chain = read_onnx_chain(testing::models_folder() / (name + ".onnx"));
    if (chain) {
      EXPECT_FALSE(chain.value().groups.empty()) << name;
    } else {
      EXPECT_FALSE(to_string(chain.errors()).empty()) << name;
    }
  }
}

}  // namespace
}  // namespace saccade::vision
