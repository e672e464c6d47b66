// Every solver against the one that looks at every selection, and against GLPK as its manual shows it, each
// on more than ten thousand small instances of all families: same verdict, same picks (of GLPK: as good
// ones), and no limit broken when the sums are taken again here in long double. Objectives, limits, joint
// peaks, coarse numbers (for ties) and floors are drawn with the instance.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/solver/contender.hpp"
#include "bench/solver/families.hpp"
#include "ilp/core_solver.hpp"
#include "ilp/exhaustive_solver.hpp"
#include "ilp/glpk_solver.hpp"

namespace saccade::ilp {
namespace {

using bench::Family;
using bench::Instance;
using bench::TaskTable;
using bench::VariantRow;

constexpr std::uint64_t kSeedsPerFamily = 1'400;  // nine families; one in five has a joint peak
constexpr double kMostSelections = 4'000.0;       // of one instance: the oracle walks them per level

std::vector<std::unique_ptr<ChoiceSolver>> solvers() {
  std::vector<std::unique_ptr<ChoiceSolver>> all;
  all.push_back(std::make_unique<CoreSolver>());
  all.push_back(std::make_unique<GlpkSolver>());
  return all;
}

// What an instance becomes, all of it a function of the seed.
struct Question {
  enum class Objective { accuracy, energy, memory } objective;
  bool time_limited, energy_limited, memory_limited, peak_limited;
  bool coarse;  // few different numbers
};
Question question_of(std::uint64_t seed) {
  const std::uint64_t limits = seed / 3 % 8;
  return {.objective = static_cast<Question::Objective>(seed % 3),
          .time_limited = limits != 0 && limits != 6,  // most questions are about time
          .energy_limited = (limits & 1U) != 0,
          .memory_limited = (limits & 2U) != 0,
          .peak_limited = seed % 5 == 0,
          .coarse = seed % 4 == 0};
}

Option option_of(const Instance& instance, const Question& question, const TaskTable& task,
                 const VariantRow& variant, double rate, bool runs) {
  const double grain = question.coarse ? 4.0 : 0.0;
  const auto rounded = [grain](double value) {
    return grain > 0.0 ? std::round(value / grain) * grain : value;
  };
  const double accuracy = task.weight * rounded(variant.accuracy) * rate / task.rate;
  const double energy = rounded(variant.energy_joules() * 1e3) * rate / 1e3;
  const double memory = rounded(variant.memory_mb);
  const double switches = runs ? 0.0 : -1.0;
  const double kept = -task.weight * (task.rate - rate);  // frames given up come before all else
  Option option;
  switch (question.objective) {
    case Question::Objective::accuracy:
      option.levels = {accuracy, switches, -energy, -memory};
      break;
    case Question::Objective::energy:
      option.levels = {-energy, switches, accuracy, -memory};
      break;
    case Question::Objective::memory:
      option.levels = {-memory, switches, accuracy, -energy};
      break;
  }
  if (instance.family == Family::elastic) option.levels.push_front(kept);
  if (question.time_limited) {
    option.use.assign(instance.time_budgets.size(), 0.0);
    option.use[variant.processor] = rounded(variant.time_ms) / 1e3 * rate;
  }
  if (question.energy_limited) option.use.push_back(energy);
  if (question.memory_limited) option.use.push_back(memory);
  if (question.peak_limited) {
    option.peak.assign(3, 0.0);
    option.peak[(variant.processor + (runs ? 1 : 0)) % 3] = rounded(variant.power_watts);
  }
  return option;
}

ChoiceProblem small_problem(Family family, std::uint64_t seed) {
  const Question question = question_of(seed);
  const std::size_t tasks = 1 + seed % 5;
  const auto options = static_cast<std::size_t>(
      std::pow(kMostSelections, 1.0 / static_cast<double>(std::max<std::size_t>(tasks, 3))));
  const std::size_t rates = family == Family::elastic ? 3 : 1;
  const Instance instance = make_tables(family,
                                        {.groups = tasks,
                                         .options = std::max<std::size_t>(1, options / rates),
                                         .rows = family == Family::processors ? 5U : 3U,
                                         .tightness = seed % 7 == 0   ? 0.85
                                                      : seed % 7 <= 3 ? 0.15
                                                                      : 0.5,
                                         .filtered = seed % 3 != 0},
                                        seed);
  ChoiceProblem problem;
  double most_power = 0.0;
  for (const TaskTable& task : instance.tasks) {
    Group& group = problem.groups.emplace_back();
    for (std::size_t v = 0; v < task.variants.size(); ++v) {
      if (task.min_accuracy && task.variants[v].accuracy < *task.min_accuracy) continue;
      for (std::size_t step = 0; step < rates; ++step) {
        const double share = 1.0 - static_cast<double>(step) / static_cast<double>(rates);
        group.options.push_back(
            option_of(instance, question, task, task.variants[v], task.rate * share, v == seed % 3));
      }
      most_power = std::max(most_power, task.variants[v].power_watts);
    }
  }
  problem.level_count = problem.groups.front().options.front().levels.size();
  if (question.time_limited) problem.capacities = instance.time_budgets;
  if (question.energy_limited) problem.capacities.push_back(instance.energy_limit.value_or(10.0));
  if (question.memory_limited) problem.capacities.push_back(instance.memory_limit_mb.value_or(300.0));
  if (question.peak_limited) {
    problem.peak_count = 3;
    problem.peak_capacity = most_power * 1.3;
  }
  return problem;
}

// How far a selection passes its limits, relative; sums in long double and in reverse order.
long double excess(const ChoiceProblem& problem, const Picks& picks) {
  long double worst = 0.0L;
  const auto look = [&worst](long double used, double capacity) {
    if (used <= capacity) return;
    worst = std::max(worst, capacity > 0.0 ? (used - capacity) / capacity : 1.0L);
  };
  for (std::size_t row = 0; row < problem.capacities.size(); ++row) {
    long double used = 0.0L;
    for (std::size_t g = picks.size(); g-- > 0;) used += problem.groups[g].options[picks[g]].use[row];
    look(used, problem.capacities[row]);
  }
  if (!problem.peak_capacity) return worst;
  long double peak = 0.0L;
  for (std::size_t p = 0; p < problem.peak_count; ++p) {
    double largest = 0.0;
    for (std::size_t g = 0; g < picks.size(); ++g) {
      largest = std::max(largest, problem.groups[g].options[picks[g]].peak[p]);
    }
    peak += largest;
  }
  look(peak, *problem.peak_capacity);
  return worst;
}

struct AgreementTest : ::testing::TestWithParam<std::pair<Family, const char*>> {};

TEST_P(AgreementTest, EverySolverFindsWhatTheOracleFindsAndBreaksNoLimit) {
  const std::vector<std::unique_ptr<ChoiceSolver>> all = solvers();
  const ExhaustiveSolver oracle;
  std::uint64_t optimal = 0, infeasible = 0, unproven = 0;
  // Problems with equal processors take the oracle and the solvers long: every eighth, from the second on,
  // among them seed 858, where the search ends at its limit of nodes, with the best picks but without a
  // proof.
  const bool equal = GetParam().first == Family::equal_processors;
  const std::uint64_t step = equal ? 8 : 1;
  for (std::uint64_t seed = equal ? 2 : 1; seed <= kSeedsPerFamily; seed += step) {
    const ChoiceProblem problem = small_problem(GetParam().first, seed);
    ASSERT_EQ(validate(problem), "") << "seed " << seed;
    const ChoiceResult expected = oracle.solve(problem, {});
    ASSERT_EQ(expected.limit, Limit::none) << "seed " << seed;
    ++(expected.verdict == Verdict::optimal ? optimal : infeasible);
    for (const auto& solver : all) {
      SCOPED_TRACE(std::string(solver->name()) + ", seed " + std::to_string(seed));
      const ChoiceResult actual = solver->solve(problem, {});
      ASSERT_STREQ(to_string(actual.verdict), to_string(expected.verdict)) << actual.message;
      if (actual.limit != Limit::none) ++unproven;
      if (expected.verdict != Verdict::optimal) continue;
      ASSERT_EQ(actual.picks, expected.picks);
      ASSERT_EQ(actual.evaluation.levels, evaluate(problem, expected.picks).levels);
      ASSERT_TRUE(equal_value(actual.bound.value(), expected.bound.value()));
      ASSERT_LE(excess(problem, actual.picks), 1e-9L * (1.0L + 1e-6L));
    }
  }
  EXPECT_LE(unproven, equal ? 1U : 0U);
  EXPECT_GT(optimal + infeasible, kSeedsPerFamily / step - 1);
  EXPECT_GT(optimal, kSeedsPerFamily / step / 20);
}

// GLPK as its manual shows it knows no joint peak and proves its best within 1e-7.
TEST_P(AgreementTest, PlainGlpkFindsWhatThePlannersSolverFinds) {
  const std::unique_ptr<bench::Contender> plain = bench::make_plain_glpk(false);
  const CoreSolver solver;
  for (std::uint64_t seed = 1; seed <= kSeedsPerFamily; ++seed) {
    const ChoiceProblem problem = small_problem(GetParam().first, seed);
    if (problem.peak_capacity) continue;
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ChoiceResult ours = solver.solve(problem, {});
    const bench::Answer theirs = plain->answer({.problem = problem, .seconds = 60.0});
    ASSERT_STREQ(to_string(ours.verdict), to_string(theirs.verdict));
    if (ours.verdict != Verdict::optimal) continue;
    ASSERT_LE(excess(problem, theirs.picks), 1e-9L * (1.0L + 1e-6L));
    const double best = ours.evaluation.levels.front();
    ASSERT_NEAR(evaluate(problem, theirs.picks).levels.front(), best, 1e-7 * std::max(1.0, std::abs(best)));
  }
}

INSTANTIATE_TEST_SUITE_P(Families, AgreementTest, ::testing::ValuesIn(bench::kFamilies),
                         [](const auto& family) {
                           std::string name = family.param.second;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace saccade::ilp
