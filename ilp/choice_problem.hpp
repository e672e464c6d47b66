// The multiple-choice problem in its mathematical form; it knows no camera. From every group exactly
// one option is taken. Every option uses an amount (>= 0) of every row; the amounts taken from a row
// may not exceed its capacity. Optionally the sum over peaks of the *largest* amount taken may not
// exceed a peak capacity. Objectives are levels, in order: the first is the value to optimise, the
// later ones decide between selections whose earlier levels are equal; the last word has the
// lexicographically smallest vector of option indices.
// Every level is maximised; a caller that minimises negates.
// Equality with a tolerance is not transitive, so "equal" is always measured from the best: level 1
// decides among the selections whose level 0 equals the best possible level 0, and so on. That
// makes the preferred selection one and the same for every solver.
// A row holds iff used <= capacity * (1 + 1e-9) (holds()); two values are equal iff they differ by
// at most 1e-9 relative, with 1e-9 as the least magnitude (equal_value()).
// Threads: plain values. Errors: validate() names what is wrong; solvers refuse an invalid problem.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/short_vector.hpp"

namespace saccade::ilp {

struct Option {                   // of which a problem may have a hundred thousand
  ShortVector<double, 5> levels;  // one value per level, all maximised; finite
  ShortVector<double, 3> use;     // one amount per row; finite, >= 0
  ShortVector<double, 1> peak;    // one amount per peak; finite, >= 0; empty when there are no peaks
};

struct Group {
  std::vector<Option> options;  // an empty group makes the problem infeasible
};

struct ChoiceProblem {
  std::vector<double> capacities;  // one per row; finite, may be negative (then nothing fits)
  std::size_t level_count = 1;     // >= 1
  std::size_t peak_count = 0;
  std::optional<double> peak_capacity;  // required when peak_count > 0
  std::vector<Group> groups;
};

inline constexpr double kTolerance = 1e-9;  // relative, the same in every solver, oracle and check
inline constexpr double kLargest = 1e100;   // no number of a problem is larger: sums stay finite

[[nodiscard]] bool holds(double used, double capacity);
[[nodiscard]] bool equal_value(double a, double b);

// Empty when the problem is well formed, else one sentence.
[[nodiscard]] std::string validate(const ChoiceProblem& problem);

using Picks = std::vector<std::size_t>;  // option index per group

// What a selection amounts to, by plain summation in group order.
struct Evaluation {
  std::vector<double> levels;
  std::vector<double> used;  // per row
  double peak = 0.0;         // sum over peaks of the largest amount
  bool feasible = false;
};
[[nodiscard]] Evaluation evaluate(const ChoiceProblem& problem, std::span<const std::size_t> picks);

// One option of every group, by an index that exists, and all that is to hold holds.
[[nodiscard]] bool feasible(const ChoiceProblem& problem, std::span<const std::size_t> picks);

// True when `a` is to be preferred to `b`: the feasible one, levels in order with equal_value(), then
// the index vector. A comparison of two, not an order over many (see above).
[[nodiscard]] bool better(const Evaluation& a, std::span<const std::size_t> picks_a, const Evaluation& b,
                          std::span<const std::size_t> picks_b);

}  // namespace saccade::ilp
