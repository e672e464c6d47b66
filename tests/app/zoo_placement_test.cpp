// Every strategy on the fp32 networks of the zoo, with times and energies made of their multiply-adds and
// bytes: what each finds is legal, costs what it believes or says otherwise, and is no better than exact.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "placement/exact.hpp"
#include "placement/strategy.hpp"
#include "vision/model/onnx_chain.hpp"

namespace saccade::app {
namespace {

namespace fs = std::filesystem;
using placement::Answer;
using placement::Costs;

// Two processors of which the second computes 2.5 times slower and moves memory 1.2 times slower.
Costs modelled(const vision::OnnxChain& network) {
  constexpr double kMultiplyAdd[] = {2e-11, 5e-11}, kByte[] = {5e-10, 6e-10}, kWatts[] = {8.0, 2.5};
  placement::Chain chain;
  chain.processors = {{ProcessorId("fast")}, {ProcessorId("slow")}};
  for (std::size_t k = 0; k < network.groups.size(); ++k) {
    const vision::ChainGroup& group = network.groups[k];
    placement::Layer layer;
    layer.weights = Bytes(static_cast<double>(group.weight_bytes));
    layer.working = Bytes(static_cast<double>(group.working_bytes));
    layer.work = group.work;
    const auto bytes = static_cast<double>(group.weight_bytes + group.working_bytes);
    for (int p = 0; p < 2; ++p) {
      const double seconds = kMultiplyAdd[p] * static_cast<double>(group.multiply_adds) + kByte[p] * bytes;
      layer.on.push_back(placement::LayerCost{Seconds(seconds), Joules(seconds * kWatts[p])});
    }
    chain.layers.push_back(std::move(layer));
    if (k == 0) continue;
    placement::Boundary boundary;
    boundary.bytes = Bytes(static_cast<double>(network.bytes_before(k)));
    chain.boundaries.push_back(std::move(boundary));
  }
  chain.links.assign(
      2, std::vector<placement::Link>(2, placement::Link{Seconds(1e-5), 1e-10, Joules(1e-6), 0.0}));
  return Costs(chain);
}

std::vector<fs::path> networks() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(SACCADE_SOURCE_DIR) / "profiles/zoo")) {
    const fs::path& file = entry.path();
    // The detector's graphs have open sides.
    if (file.parent_path().filename() == "yard-detector") continue;
    if (file.filename().string().ends_with("-fp32.onnx")) files.push_back(file);
  }
  std::sort(files.begin(), files.end());
  return files;
}

class ZooPlacements : public ::testing::Test {
 protected:
  void check(const Costs& costs, const placement::Request& request) {
    const Answer exact = placement::find_strategy("exact")->run(costs, request);
    ASSERT_TRUE(exact.placement) << exact.reason;
    for (const placement::Strategy& strategy : placement::strategies()) {
      SCOPED_TRACE(strategy.name);
      const Answer answer = strategy.run(costs, request);
      ASSERT_TRUE(answer.placement || !answer.reason.empty());
      if (!answer.placement) continue;
      answered_.insert(strategy.name);
      EXPECT_TRUE(placement::complaints(costs, *answer.placement).empty());
      EXPECT_EQ(answer.value, value_of(request.aim, evaluate(costs, *answer.placement)));
      if (answer.placement->size() <= request.max_stages) {
        EXPECT_GE(answer.value, exact.bound * (1.0 - 1e-12));
      }
      // Knapsack alone reckons without transfers.
      if (std::string(strategy.name) != "knapsack") {
        EXPECT_NEAR(answer.believed, answer.value, 1e-9 * answer.value);
      }
    }
  }
  std::set<std::string> answered_;
};

TEST_F(ZooPlacements, AreLegalAndNoBetterThanExactAndTwoStagesAreExact) {
  const std::vector<fs::path> files = networks();
  ASSERT_EQ(files.size(), 26U);
  for (const fs::path& file : files) {
    SCOPED_TRACE(file);
    const auto chain = vision::read_onnx_chain(file);
    ASSERT_TRUE(chain) << to_string(chain.errors());
    const Costs costs = modelled(chain.value());
    placement::Request request;
    check(costs, request);
    const Answer two = placement::find_strategy("two-stage")->run(costs, request);
    const placement::Solution exact = placement::least_period_once_each(costs, 2);
    ASSERT_TRUE(two.placement && exact.placement);
    EXPECT_NEAR(two.value, exact.value, 1e-12 * exact.value);
    request.aim = {placement::Objective::energy, Seconds(1.5 * costs.time(0, 0, costs.layers()))};
    check(costs, request);
  }
  EXPECT_EQ(answered_.size(), placement::strategies().size());
}

}  // namespace
}  // namespace saccade::app
