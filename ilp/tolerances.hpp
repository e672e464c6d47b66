// Every tolerance that a proof rests on. kTolerance (choice_problem.hpp) is part of the contract: how far a
// row may be exceeded, and when two values are equal. The others only allow for rounding, so that no bound
// lies below the truth and no feasible selection is excluded. Each is far above the rounding error of the
// sums it is used for and far below kTolerance.
// Threads: constants and pure functions.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "ilp/choice_problem.hpp"

namespace saccade::ilp {

// Relative error of sums that evaluate() would take in another order; absolute in a Table, whose values and
// uses are of size 1.
inline constexpr double kRounding = 1e-12;
// In units of a Table: a row that is short by no more counts as satisfied, until evaluate() decides.
inline constexpr double kSlackTolerance = 1e-12;
// Relative: by how much the needed cost has to exceed the available one in a Farkas certificate.
inline constexpr double kCertificateMargin = 1e-11;
// A count in an LP solution this close to an integer is that integer.
inline constexpr double kIntegral = 1e-6;
// In units of a Table: a basic option has no larger reduced cost, or the LP did not end at a vertex.
inline constexpr double kBasicReducedCost = 1e-10;
// Relative to the largest of the numbers: how far a multiple of a quantum may be off.
inline constexpr double kGridError = 1e-13;
inline constexpr double kInfinite = std::numeric_limits<double>::infinity();
// Of GLPK's simplex and branch and bound, in units of its scaled model.
inline constexpr double kGlpkTolerance = 1e-7;

// Relative error of a sum of that many numbers; grows with the number.
[[nodiscard]] inline double rounding_of(double numbers) {
  return std::max(kRounding, 4.0 * std::numeric_limits<double>::epsilon() * numbers);
}

// How much of a row a feasible selection may use.
[[nodiscard]] inline double usable_capacity(const ChoiceProblem& problem, std::size_t row) {
  return std::max(problem.capacities[row], 0.0) * (1.0 + kTolerance);
}

// The smallest value that may be equal_value() to `best` from below.
[[nodiscard]] inline double least_equal(double best) {
  return best - 1.01 * kTolerance * std::max(std::abs(best), kTolerance);
}

// Far below the difference of unequal values, however much the sums behind them cancel.
[[nodiscard]] inline double negligible(double value) {
  return 0.01 * kTolerance * std::max(std::abs(value), kTolerance);
}

}  // namespace saccade::ilp
