// Every strategy on the fp32 networks of the zoo, with times and energies made of their multiply-adds and
// bytes: what each finds is legal, costs what it believes or says otherwise, and is no better than exact.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "bench/placement/zoo_chain.hpp"
#include "placement/exact.hpp"
#include "placement/strategy.hpp"
#include "vision/model/onnx_chain.hpp"

namespace saccade::app {
namespace {

namespace fs = std::filesystem;
using placement::Answer;
using placement::Costs;

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
  std::error_code failure;
  const auto files = bench::fp32_networks(fs::path(SACCADE_SOURCE_DIR) / "profiles/zoo", failure);
  ASSERT_FALSE(failure) << failure.message();
  ASSERT_EQ(files.size(), 26U);
  for (const fs::path& file : files) {
    SCOPED_TRACE(file);
    const auto chain = vision::read_onnx_chain(file);
    ASSERT_TRUE(chain) << to_string(chain.errors());
    const Costs costs(bench::modelled_chain(chain.value(), true));
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
