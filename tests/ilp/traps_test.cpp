// The traps in which solvers of this problem are known to fall, for every solver of this room: cycling
// at a capacity a hair from a vertex, selections that pass a capacity by less than an LP code resolves,
// numbers that are none, degenerate groups, capacities at the ends of the scale, deadlines that are
// over at once or overrun, threads, and GLPK's abort(). Lateness is counted in polls, not in time.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bench/solver/families.hpp"
#include "ilp/core_solver.hpp"
#include "ilp/exhaustive_solver.hpp"
#include "ilp/glpk_solver.hpp"

namespace saccade::ilp {
namespace {

using bench::Family;
using bench::make_instance;

// What may follow a stop: every phase looks once more before it gives up, whatever the instance's size.
constexpr std::int64_t kFewPolls = 64;
constexpr std::int64_t kManyPolls = 200'000;  // more than any instance here needs: it cycles

struct Subject {
  const char* name;
  std::unique_ptr<ChoiceSolver> (*make)();
  bool looks_at_all;  // the oracle: small instances only
};
template <class Solver>
std::unique_ptr<ChoiceSolver> make() {
  return std::make_unique<Solver>();
}
constexpr std::array<Subject, 3> kSubjects = {{
    {"exhaustive", &make<ExhaustiveSolver>, true},
    {"glpk", &make<GlpkSolver>, false},
    {"core", &make<CoreSolver>, false},
}};

class TrapsTest : public ::testing::TestWithParam<Subject> {
 protected:
  // Groups and options of an instance that is as large as the solver can be asked for.
  [[nodiscard]] std::size_t groups() const { return GetParam().looks_at_all ? 4 : 7; }
  [[nodiscard]] std::size_t options() const { return GetParam().looks_at_all ? 5 : 10; }
  [[nodiscard]] ChoiceProblem instance(Family family, std::uint64_t seed) const {
    return make_instance(family, groups(), options(), family == Family::processors ? 5 : 3, 0.5, seed);
  }

  // A solver may leave ties unsettled at its own work limit: identical groups have very many.
  static bool ties_are_left(const ChoiceResult& result) {
    return result.limit == Limit::work && result.verdict == Verdict::optimal;
  }

  // A solve that must come to an end by itself, with an answer that holds.
  ChoiceResult settle(const ChoiceProblem& problem) const {
    std::int64_t polls = 0;
    ChoiceResult result = solver_->solve(problem, {.stop = [&polls] { return ++polls > kManyPolls; }});
    EXPECT_LE(polls, kManyPolls) << "it cycles";
    EXPECT_TRUE(result.limit == Limit::none || ties_are_left(result)) << result.message;
    EXPECT_NE(result.verdict, Verdict::unknown) << result.message;
    if (!result.picks.empty()) {
      EXPECT_TRUE(evaluate(problem, result.picks).feasible);
    }
    return result;
  }

  std::unique_ptr<ChoiceSolver> solver_ = GetParam().make();
};

TEST_P(TrapsTest, ACapacityAHairFromAVertexIsDecidedByPlainArithmetic) {
  int vertices = 0;
  for (const Family family : {Family::standard, Family::correlated, Family::identical, Family::processors}) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const ChoiceProblem open = instance(family, seed);
      const ChoiceResult vertex = settle(open);
      if (vertex.verdict == Verdict::infeasible) continue;
      ++vertices;
      for (const double hair : {1.7e-7, 5e-9, -5e-9, -1.7e-7}) {
        SCOPED_TRACE(std::string(to_string(family)) + ", seed " + std::to_string(seed) + ", hair " +
                     std::to_string(hair * 1e9) + "e-9");
        ChoiceProblem problem = open;
        for (std::size_t row = 0; row < problem.capacities.size(); ++row) {
          problem.capacities[row] = vertex.evaluation.used[row] * (1.0 + hair);
        }
        const ChoiceResult result = settle(problem);
        if (hair > 0.0) {
          ASSERT_EQ(result.verdict, Verdict::optimal);
          EXPECT_TRUE(equal_value(result.evaluation.levels[0], vertex.evaluation.levels[0]));
        } else if (result.verdict == Verdict::optimal) {
          EXPECT_NE(result.picks, vertex.picks);
        }
      }
    }
  }
  EXPECT_GT(vertices, 10);
}

// Capacities that a selection fills to the last digit the tolerance leaves: it is never refuted away.
TEST_P(TrapsTest, AStartThatHoldsIsNeverCalledInfeasible) {
  for (const Family family : {Family::standard, Family::correlated, Family::identical, Family::processors}) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      ChoiceProblem problem = instance(family, seed);
      Picks start;
      for (const Group& group : problem.groups)
        start.push_back((seed * 3 + start.size()) % group.options.size());
      const Evaluation filled = evaluate(problem, start);
      for (std::size_t row = 0; row < problem.capacities.size(); ++row) {
        problem.capacities[row] = filled.used[row] / (1.0 + kTolerance);
        while (!holds(filled.used[row], problem.capacities[row])) {
          problem.capacities[row] = std::nextafter(problem.capacities[row], 1e12);
        }
      }
      const ChoiceResult result = solver_->solve(problem, {.start = start});
      ASSERT_TRUE(result.verdict == Verdict::optimal || result.verdict == Verdict::feasible)
          << to_string(family) << " seed " << seed << ": " << to_string(result.verdict);
      EXPECT_GE(result.evaluation.levels[0], filled.levels[0] * (1.0 - kTolerance));
    }
  }
}

TEST_P(TrapsTest, WhatIsNoNumberIsRefusedWithASentenceWhereverItStands) {
  const ChoiceProblem good = instance(Family::standard, 1);
  for (const double bad :
       {std::nan(""), std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()}) {
    std::vector<ChoiceProblem> problems(5, good);
    problems[0].groups.back().options.back().levels.front() = bad;
    problems[1].groups.front().options.back().use.back() = bad;
    problems[2].capacities.back() = bad;
    problems[3].peak_capacity = bad;
    problems[4].peak_count = 1;
    problems[4].peak_capacity = 1.0;
    for (Group& group : problems[4].groups) {
      for (Option& option : group.options) option.peak = {0.5};
    }
    problems[4].groups.back().options.front().peak = {bad};
    for (const ChoiceProblem& problem : problems) {
      const ChoiceResult result = solver_->solve(problem, {});
      EXPECT_EQ(result.verdict, Verdict::unknown);
      EXPECT_NE(result.message, "");
      EXPECT_TRUE(result.picks.empty());
    }
  }
}

TEST_P(TrapsTest, AGroupOfNothingIsInfeasibleAndAGroupThatUsesNothingIsFree) {
  ChoiceProblem problem = instance(Family::standard, 2);
  const ChoiceResult before = settle(problem);
  Group free;
  free.options.push_back({{0.0}, std::vector<double>(problem.capacities.size(), 0.0), {}});
  problem.groups.insert(problem.groups.begin() + 1, free);
  const ChoiceResult with_free = settle(problem);
  EXPECT_EQ(with_free.verdict, Verdict::optimal);
  EXPECT_TRUE(equal_value(with_free.evaluation.levels[0], before.evaluation.levels[0]));
  problem.groups.insert(problem.groups.begin() + 1, Group{});
  EXPECT_EQ(settle(problem).verdict, Verdict::infeasible);
}

TEST_P(TrapsTest, WhereAllVariantsAreEqualTheFirstOfEachIsTaken) {
  const std::size_t count = GetParam().looks_at_all ? 5 : 40;
  const double amount = 1.0 / static_cast<double>(count);
  ChoiceProblem problem;
  problem.level_count = 2;
  problem.capacities = {1.0, 1.0 + 1e-12};  // what they use, to the last digit but rounding
  problem.groups.assign(count, Group{std::vector<Option>(count, {{0.7, -0.1}, {amount, amount}, {}})});
  const ChoiceResult result = settle(problem);
  EXPECT_EQ(result.verdict, Verdict::optimal);
  EXPECT_EQ(result.picks, Picks(count, 0));
}

TEST_P(TrapsTest, CapacitiesOfNothingNextToNothingAndNearlyEverythingAreOnlyNumbers) {
  const ExhaustiveSolver oracle;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const ChoiceProblem small = make_instance(Family::standard, 4, 5, 3, 0.5, seed);
    for (std::size_t row = 0; row < small.capacities.size(); ++row) {
      for (const double capacity : {0.0, 1e-12, 1e12}) {
        SCOPED_TRACE("seed " + std::to_string(seed) + ", row " + std::to_string(row) + ", capacity " +
                     std::to_string(capacity));
        ChoiceProblem problem = small;
        problem.capacities[row] = capacity;
        // Every other group can do without, so that some of the tiny capacities hold.
        for (std::size_t group = 0; group < problem.groups.size(); group += 1 + seed % 2) {
          problem.groups[group].options.front().use[row] = capacity < 1.0 ? capacity / 8.0 : capacity / 3.0;
        }
        const ChoiceResult result = settle(problem);
        const ChoiceResult expected = oracle.solve(problem, {});
        EXPECT_STREQ(to_string(result.verdict), to_string(expected.verdict));
        EXPECT_EQ(result.picks, expected.picks);
        EXPECT_EQ(result.culprits, expected.culprits);
      }
    }
  }
}

TEST_P(TrapsTest, ADeadlineThatIsOverAtOnceIsHeardAtOnce) {
  for (const Family family : {Family::standard, Family::correlated, Family::processors}) {
    const ChoiceProblem problem =
        GetParam().looks_at_all ? instance(family, 1) : make_instance(family, 100, 40, 3, 0.5, 1);
    std::int64_t polls = 0;
    const ChoiceResult result = solver_->solve(problem, {.stop = [&polls] { return ++polls > 0; }});
    EXPECT_LE(polls, kFewPolls);
    EXPECT_TRUE(result.verdict == Verdict::unknown || result.verdict == Verdict::feasible ||
                result.verdict == Verdict::optimal);
    if (result.picks.empty()) {
      EXPECT_EQ(result.verdict, Verdict::unknown);
      EXPECT_EQ(result.limit, Limit::stop);
    } else {
      EXPECT_TRUE(evaluate(problem, result.picks).feasible);
    }
  }
}

TEST_P(TrapsTest, AfterAStopFewPollsFollowWheneverItComes) {
  const ChoiceProblem problem = GetParam().looks_at_all ? instance(Family::correlated, 2)
                                                        : make_instance(Family::correlated, 8, 12, 3, 0.5, 2);
  for (std::int64_t stop_at = 1; stop_at < kManyPolls; stop_at = stop_at * 3 / 2 + 1) {
    std::int64_t polls = 0;
    const ChoiceResult result =
        solver_->solve(problem, {.stop = [&polls, stop_at] { return ++polls >= stop_at; }});
    EXPECT_LE(polls, stop_at + kFewPolls) << "stopped at poll " << stop_at;
    if (!result.picks.empty()) {
      EXPECT_TRUE(evaluate(problem, result.picks).feasible);
    }
    if (polls < stop_at) return;  // it was done before
    EXPECT_NE(result.verdict, Verdict::infeasible);
  }
  FAIL() << "it does not end";
}

TEST_P(TrapsTest, ItPollsOftenEnoughForTheWorkItDoes) {
  for (const Family family : {Family::standard, Family::correlated, Family::processors}) {
    const ChoiceProblem problem = instance(family, 3);
    std::int64_t polls = 0;
    const ChoiceResult result = solver_->solve(problem, {.stop = [&polls] {
                                                 ++polls;
                                                 return false;
                                               }});
    const std::int64_t nodes = result.stats.nodes + result.stats.certify_nodes;
    EXPECT_GE(polls, nodes / 4096) << to_string(family) << ": " << nodes << " nodes";
  }
}

TEST_P(TrapsTest, AThousandSolvesOnFourThreadsAreTheSameToTheLastBit) {
  constexpr std::size_t kThreads = 4, kSolves = 250;
  std::vector<ChoiceProblem> problems;
  std::vector<ChoiceResult> expected;
  for (const auto& [family, name] : bench::kFamilies) {
    problems.push_back(make_instance(family, 4, family == Family::elastic ? 2 : 5, 3, 0.5, 9));
    expected.push_back(solver_->solve(problems.back(), {}));
  }
  std::atomic<std::size_t> same = 0;
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (std::size_t i = 0; i < kSolves; ++i) {
        const std::size_t which = (i * 7 + thread) % problems.size();
        const ChoiceResult result = solver_->solve(problems[which], {});
        const ChoiceResult& first = expected[which];
        same += result.verdict == first.verdict && result.picks == first.picks &&
                        result.bound == first.bound && result.prices == first.prices &&
                        result.culprits == first.culprits && result.stats.nodes == first.stats.nodes
                    ? 1U
                    : 0U;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(same, kThreads * kSolves);
}

INSTANTIATE_TEST_SUITE_P(Solvers, TrapsTest, ::testing::ValuesIn(kSubjects),
                         [](const auto& subject) { return std::string(subject.param.name); });

// GLPK ends the process on lack of memory; on every thread that is caught, and the next solve works.
TEST(GlpkTraps, AnAbortOnOneThreadLeavesTheOthersAndTheNextSolveAlone) {
  const ChoiceProblem large = make_instance(Family::standard, 60, 60, 3, 0.5, 1);
  const ChoiceProblem small = make_instance(Family::standard, 4, 5, 3, 0.5, 1);
  const Picks expected = ExhaustiveSolver().solve(small, {}).picks;
  std::atomic<int> recovered = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int round = 0; round < 3; ++round) {
        const ChoiceResult aborted = GlpkSolver({.memory_limit_megabytes = 1}).solve(large, {});
        const ChoiceResult next = GlpkSolver().solve(small, {});
        recovered += aborted.limit == Limit::numerical && next.picks == expected ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(recovered, 12);
}

}  // namespace
}  // namespace saccade::ilp
