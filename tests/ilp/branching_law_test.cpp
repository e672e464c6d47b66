// Branch and bound alone against enumeration, where nothing but its splits and cuts decides: with more groups
// than a node searches to the end (the idle ones have one option), and with the best answers refused although
// they hold, so that whole relaxations of equal groups have to be split again and again.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "bench/solver/random.hpp"
#include "ilp/core/branch_and_bound.hpp"
#include "ilp/core/lp_relaxation.hpp"
#include "ilp/core/table.hpp"

namespace saccade::ilp {
namespace {

constexpr std::size_t kIdle = 201;
constexpr std::int64_t kNodes = 3'000;
constexpr double kApart = 1e-7;

// Equal groups whose first option is nothing for nothing; half of the instances in eighths, for ties.
ChoiceProblem equal_groups(bench::Random& random) {
  const std::size_t rows = 1 + random.below(3), options = 3 + random.below(3), members = 4 + random.below(9);
  const bool coarse = random.below(2) == 1;
  const auto number = [&](double low, double high) {
    const double drawn = random.uniform(low, high);
    return coarse ? bench::rounded(drawn, 0.125) : drawn;
  };
  Group group;
  group.options.push_back({{0.0}, std::vector<double>(rows, 0.0), {}});
  while (group.options.size() < options) {
    Option& option = group.options.emplace_back();
    option.levels = {number(0.5, 1.0)};
    for (std::size_t row = 0; row < rows; ++row) option.use.push_back(number(0.0, 1.0));
  }
  ChoiceProblem problem;
  problem.groups.assign(members, group);
  for (std::size_t row = 0; row < rows; ++row) {
    problem.capacities.push_back(number(0.1, 0.6) * static_cast<double>(members));
  }
  return problem;
}

// The values of all selections that hold, largest first, each once; order among equal groups is no matter.
std::vector<double> values_of(const ChoiceProblem& problem) {
  std::vector<double> values;
  Picks picks;
  const std::function<void(std::size_t)> add = [&](std::size_t least) {
    if (picks.size() == problem.groups.size()) {
      const Evaluation evaluation = evaluate(problem, picks);
      if (evaluation.feasible) values.push_back(evaluation.levels[0]);
      return;
    }
    for (std::size_t option = least; option < problem.groups.front().options.size(); ++option) {
      picks.push_back(option);
      add(option);
      picks.pop_back();
    }
  };
  add(0);
  std::sort(values.begin(), values.end(), std::greater<>());
  const auto same = [](double a, double b) { return a - b <= kApart; };
  values.erase(std::unique(values.begin(), values.end(), same), values.end());
  return values;
}

// The largest value up to `most` that the tree finds; absent when its nodes did not suffice.
std::optional<double> largest_found(const ChoiceProblem& problem, double most) {
  const FlatProblem flat = flatten(problem);
  OpenOptions open;
  for (const Group& group : problem.groups) {
    std::vector<std::uint32_t>& all = open.emplace_back(group.options.size());
    std::iota(all.begin(), all.end(), 0U);
  }
  const Table table = make_table(flat, open);
  double best = -std::numeric_limits<double>::infinity();
  const auto accept = [&](const Selection& selection) {
    const Evaluation evaluation = evaluate(problem, picks_of(table, selection));
    if (evaluation.feasible && evaluation.levels[0] <= most) best = std::max(best, evaluation.levels[0]);
    return (best - table.value_offset) / table.value_scale + 1e-9;
  };
  const BranchOutcome outcome = branch_and_bound(
      table, relax(table, {}, nullptr), -std::numeric_limits<double>::infinity(), accept, {nullptr, kNodes});
  return outcome.limit == Limit::none ? std::optional(best) : std::nullopt;
}

TEST(BranchingLaw, NoCutAndNoSplitLosesASelectionOfEqualGroups) {
  bench::Random random(11);
  int ended = 0;
  for (int instance = 0; instance < 250; ++instance) {
    ChoiceProblem problem = equal_groups(random);
    const std::vector<double> values = values_of(problem);
    Group idle;
    idle.options.push_back({{0.0}, std::vector<double>(problem.capacities.size(), 0.0), {}});
    problem.groups.insert(problem.groups.end(), kIdle, idle);
    for (const std::size_t refused : {0U, 1U, 3U, 10U, 30U}) {
      if (refused >= values.size()) break;
      const std::optional<double> found = largest_found(problem, values[refused] + 0.1 * kApart);
      if (!found) continue;
      ++ended;
      ASSERT_NEAR(*found, values[refused], kApart)
          << "instance " << instance << ", " << refused << " refused";
    }
  }
  EXPECT_GT(ended, 800);
}

}  // namespace
}  // namespace saccade::ilp
