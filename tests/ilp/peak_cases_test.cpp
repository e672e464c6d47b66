// Joint peaks: the cases cover every selection that holds the capacity and none more, and a problem of a few
// cameras with a joint peak takes a search of a few nodes.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <vector>

#include "bench/solver/random.hpp"
#include "ilp/core/peak_cases.hpp"
#include "ilp/core_solver.hpp"
#include "ilp/exhaustive_solver.hpp"
#include "ilp/screening.hpp"

namespace saccade::test {
namespace {

using namespace ilp;

constexpr std::size_t kPeaks = 3;

ChoiceProblem random_problem(bench::Random& random) {
  ChoiceProblem problem;
  problem.capacities = {2.0};
  problem.peak_count = kPeaks;
  problem.peak_capacity = 4.0 + static_cast<double>(random.below(12));
  problem.groups.resize(3);
  for (Group& group : problem.groups) {
    for (int i = 0; i < 5; ++i) {
      Option option;
      option.levels = {static_cast<double>(random.below(50))};
      option.use = {random.uniform()};
      option.peak.assign(kPeaks, 0.0);
      option.peak[random.below(kPeaks)] = static_cast<double>(random.below(7));
      option.peak[random.below(kPeaks)] = static_cast<double>(random.below(4));
      group.options.push_back(option);
    }
  }
  return problem;
}

bool obeys(const ChoiceProblem& problem, const Picks& picks, const PeakCaps& caps) {
  for (std::size_t group = 0; group < picks.size(); ++group) {
    const Option& option = problem.groups[group].options[picks[group]];
    for (std::size_t p = 0; p < kPeaks; ++p) {
      if (option.peak[p] > caps[p]) return false;
    }
  }
  return true;
}

TEST(PeakCases, CoverTheSelectionsThatHoldTheCapacityAndNoOthers) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    bench::Random random(seed);
    const ChoiceProblem problem = random_problem(random);
    const auto cases = peak_cases(problem, screen(problem).open);
    ASSERT_TRUE(cases) << seed;
    for (const PeakCaps& caps : *cases) {
      EXPECT_TRUE(holds(std::accumulate(caps.begin(), caps.end(), 0.0), *problem.peak_capacity)) << seed;
    }
    Picks picks(3, 0);
    for (std::size_t number = 0; number < 125; ++number) {
      picks = {number % 5, number / 5 % 5, number / 25};
      const Evaluation evaluation = evaluate(problem, picks);
      const bool row_holds = holds(evaluation.used[0], problem.capacities[0]);
      const bool covered = std::any_of(cases->begin(), cases->end(),
                                       [&](const PeakCaps& caps) { return obeys(problem, picks, caps); });
      EXPECT_EQ(covered && row_holds, evaluation.feasible) << seed << ", selection " << number;
    }
  }
}

TEST(PeakCases, GiveTheAnswersOfTheExhaustiveSearch) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    bench::Random random(seed);
    const ChoiceProblem problem = random_problem(random);
    const ChoiceResult expected = ExhaustiveSolver().solve(problem, {});
    const ChoiceResult found = CoreSolver().solve(problem, {});
    EXPECT_EQ(found.verdict, expected.verdict) << seed;
    EXPECT_EQ(found.picks, expected.picks) << seed;
    EXPECT_EQ(found.limit, Limit::none) << seed;
  }
}

// Four cameras of which two and two have the same network: whole on one of two processors or as pipelines
// over both, at every rate up to their demand, under a joint peak of power.
struct Way {
  double left, right, memory, watts_left, watts_right, accuracy;  // seconds, MB, W
};
constexpr std::array<Way, 7> kFirst{{{0.021, 0.000, 60, 12.57, 0.00, 0.96},
                                     {0.000, 0.030, 60, 0.00, 5.93, 0.96},
                                     {0.011, 0.014, 66, 13.21, 6.71, 0.96},
                                     {0.013, 0.012, 66, 13.43, 5.24, 0.96},
                                     {0.013, 0.010, 70, 13.44, 6.00, 0.96},
                                     {0.006, 0.000, 20, 12.32, 0.00, 0.85},
                                     {0.003, 0.004, 22, 15.45, 5.04, 0.85}}};
constexpr std::array<Way, 4> kSecond{{{0.000, 0.016, 50, 0.00, 5.96, 0.93},
                                      {0.008, 0.007, 54, 12.82, 6.11, 0.93},
                                      {0.009, 0.006, 54, 14.36, 5.94, 0.93},
                                      {0.000, 0.005, 15, 0.00, 6.72, 0.82}}};
struct Camera {
  std::span<const Way> ways;
  int demand = 0;
  double weight = 1.0;
};

ChoiceProblem four_cameras() {
  const std::array<Camera, 4> cameras{{{kFirst, 34}, {kSecond, 20}, {kSecond, 15}, {kFirst, 20, 2.0}}};
  ChoiceProblem problem;
  problem.capacities = {0.95, 0.95, 260.0};
  problem.peak_count = 2;
  problem.peak_capacity = 13.0;
  for (const Camera& camera : cameras) {
    Group& group = problem.groups.emplace_back();
    for (int rate = 1; rate <= camera.demand; ++rate) {
      for (const Way& way : camera.ways) {
        Option option;
        option.levels = {camera.weight * way.accuracy * rate / camera.demand};
        option.use = {way.left * rate, way.right * rate, way.memory};
        option.peak = {way.watts_left, way.watts_right};
        group.options.push_back(option);
      }
    }
  }
  return problem;
}

TEST(PeakCases, FourCamerasWithAJointPeakTakeASmallSearch) {
  const ChoiceProblem problem = four_cameras();
  const ChoiceResult result = CoreSolver().solve(problem, {.max_nodes = 100});
  EXPECT_EQ(result.verdict, Verdict::optimal) << "nodes " << result.stats.nodes;
  EXPECT_EQ(result.limit, Limit::none);
  EXPECT_GT(result.peak_price, 0.0) << "it binds, and that is told";
}

}  // namespace
}  // namespace saccade::test
