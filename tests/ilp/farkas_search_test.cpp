// The quick search for a Farkas certificate: never one for a feasible problem, and one where it is needed.
#include "ilp/core/farkas_search.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "bench/solver/families.hpp"
#include "ilp/core_solver.hpp"
#include "ilp/exhaustive_solver.hpp"

namespace saccade::ilp {
namespace {

using bench::Family;

std::vector<double> certificate_of(const ChoiceProblem& problem) {
  const FlatProblem flat = flatten(problem);
  const Screening screening = screen(flat);
  return screening.infeasible ? std::vector<double>{} : find_farkas_certificate(flat, screening, nullptr);
}

// Farkas' lemma, recomputed in long double.
bool certifies(const ChoiceProblem& problem, const std::vector<double>& prices) {
  long double available = 0.0L, needed = 0.0L;
  for (std::size_t row = 0; row < prices.size(); ++row) available += prices[row] * problem.capacities[row];
  const Screening screening = screen(problem);
  for (std::size_t group = 0; group < problem.groups.size(); ++group) {
    long double least = 1e300L;
    for (const std::uint32_t option : screening.open[group]) {
      long double cost = 0.0L;
      for (std::size_t row = 0; row < prices.size(); ++row) {
        cost += prices[row] * problem.groups[group].options[option].use[row];
      }
      least = std::min(least, cost);
    }
    needed += least;
  }
  return needed > available * (1.0L + 1e-9L);
}

TEST(FarkasSearch, CertifiesOnlyInfeasibleProblems) {
  int found = 0;
  for (const auto& [family, name] : bench::kFamilies) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      const ChoiceProblem problem =
          bench::make_instance(family, 1 + seed % 4, family == Family::elastic ? 2 : 6, 3, 0.2, seed);
      const std::vector<double> prices = certificate_of(problem);
      if (prices.empty()) continue;
      ++found;
      ASSERT_EQ(ExhaustiveSolver().solve(problem, {}).verdict, Verdict::infeasible) << name << ' ' << seed;
      ASSERT_TRUE(certifies(problem, prices)) << name << ' ' << seed;
    }
  }
  EXPECT_GT(found, 20);
}

TEST(FarkasSearch, FindsTheConflictOfManyGroupsAndNamesItsRows) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const ChoiceProblem problem = bench::make_instance(Family::infeasible_relaxation, 400, 60, 3, 0.5, seed);
    EXPECT_TRUE(certifies(problem, certificate_of(problem))) << seed;
    const ChoiceResult result = CoreSolver().solve(problem, {});
    EXPECT_EQ(result.verdict, Verdict::infeasible);
    EXPECT_EQ(result.conflict, (std::vector<std::size_t>{0, 2})) << seed;  // time and memory
  }
}

// The minima use all of a row, or it is empty: no price can be put on it.
TEST(FarkasSearch, RowsWithoutSlackGetNoPrice) {
  for (const double scale : {0.0, 1e-12, 1.0, 1e12}) {
    ChoiceProblem problem = bench::make_instance(Family::infeasible_relaxation, 6, 8, 3, 0.5, 1);
    double least = 0.0;
    for (Group& group : problem.groups) {
      double low = 1e300;
      for (Option& option : group.options) low = std::min(low, option.use[1] *= scale);
      least += low;
    }
    problem.capacities[1] = least;
    const Screening screening = screen(problem);
    const std::vector<double> prices = certificate_of(problem);
    for (const double price : prices) EXPECT_TRUE(price >= 0.0 && price < 1e100) << scale;
    if (!screening.infeasible && !prices.empty()) {
      EXPECT_TRUE(certifies(problem, prices)) << scale;
    }
    EXPECT_EQ(CoreSolver().solve(problem, {}).verdict, ExhaustiveSolver().solve(problem, {}).verdict);
  }
}

TEST(FarkasSearch, EndsAtAStop) {
  const ChoiceProblem problem = bench::make_instance(Family::infeasible_relaxation, 400, 60, 3, 0.5, 1);
  const FlatProblem flat = flatten(problem);
  EXPECT_TRUE(find_farkas_certificate(flat, screen(flat), [] { return true; }).empty());
}

}  // namespace
}  // namespace saccade::ilp
