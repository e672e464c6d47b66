// The multiple-choice multidimensional knapsack problem (Kellerer, Pferschy & Pisinger, Knapsack Problems,
// 2004: ch. 11, with several rows as in ch. 9) in its mathematical form, without cameras. Exactly one option
// of every group is selected. Every option uses an amount (>= 0) of every row; the amounts used of a row may
// not exceed its capacity. Beyond the textbook: the sum over peaks of the *largest* amount selected may be
// limited by a peak capacity, and objectives are lexicographic levels. The first level is the value to
// optimise, later ones decide between selections whose earlier levels are equal, and the lexicographically
// smallest vector of option indices breaks what ties remain.
// Every level is maximised; to minimise, negate.
// Equality within a tolerance is not transitive, so "equal" is always measured from the optimum: level 1
// decides among the selections whose level 0 equals the optimal level 0, and so on. This makes the preferred
// selection unique, the same for every solver.
// A row holds iff used <= capacity * (1 + 1e-9) (holds()); two values are equal iff they differ by at most
// 1e-9 relative, with 1e-9 as the smallest magnitude (equal_value()).
// Threads: plain values. Errors: validate() names what is wrong; solvers refuse an invalid problem.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/short_vector.hpp"

namespace saccade::ilp {

struct Option {                   // a problem may have a hundred thousand
  ShortVector<double, 5> levels;  // one value per level, all maximised; finite
  ShortVector<double, 3> use;     // one amount per row; finite, >= 0
  ShortVector<double, 1> peak;    // one amount per peak; finite, >= 0; empty when there are no peaks
};

struct Group {
  std::vector<Option> options;  // an empty group makes the problem infeasible
};

// One of several interchangeable rows: where an option uses `scale` * a of it, another option of its group
// uses the others' scale * a of theirs and is equal except for its levels. Bins of bin packing are such rows.
struct EqualRow {
  std::size_t row = 0;
  double scale = 1.0;  // > 0
  bool operator==(const EqualRow&) const = default;
};

struct ChoiceProblem {
  std::vector<double> capacities;  // one per row; finite, may be negative (then nothing is feasible)
  std::size_t level_count = 1;     // >= 1
  std::size_t peak_count = 0;
  std::optional<double> peak_capacity;  // required when peak_count > 0
  std::vector<Group> groups;
  // Sets of equal rows, no row in two; a hint that costs no answer where it is wrong, only time.
  std::vector<std::vector<EqualRow>> equal_rows = {};
};

inline constexpr double kTolerance = 1e-9;  // relative, the same in every solver, oracle and check
inline constexpr double kLargest = 1e100;   // no number of a problem is larger: sums stay finite

[[nodiscard]] bool holds(double used, double capacity);
[[nodiscard]] bool equal_value(double a, double b);

// Empty if the problem is well formed, else one sentence.
[[nodiscard]] std::string validate(const ChoiceProblem& problem);

using Picks = std::vector<std::size_t>;  // option index per group

// The levels and uses of a selection, by plain summation in group order.
struct Evaluation {
  std::vector<double> levels;
  std::vector<double> used;  // per row
  double peak = 0.0;         // sum over peaks of the largest amount
  bool feasible = false;
};
[[nodiscard]] Evaluation evaluate(const ChoiceProblem& problem, std::span<const std::size_t> picks);

// Exactly one existing option per group, and every capacity holds.
[[nodiscard]] bool feasible(const ChoiceProblem& problem, std::span<const std::size_t> picks);

// True if `a` is preferred to `b`: the feasible one, then levels in order with equal_value(), then the index
// vector. It compares two selections and is no order over many (see above).
[[nodiscard]] bool better(const Evaluation& a, std::span<const std::size_t> picks_a, const Evaluation& b,
                          std::span<const std::size_t> picks_b);

}  // namespace saccade::ilp
