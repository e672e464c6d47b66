// The LP relaxation of a table, solved in the dual. Given a price per row, the relaxation decomposes by class
// (the rows that select one option are generalised upper bounds; Dantzig & Van Slyke 1967), and
//     L(prices) = prices * capacities + sum over classes of count * max over options (value - prices * use)
// bounds every selection from above. L is convex and piecewise linear, and its minimum is the LP optimum
// (Geoffrion 1974). A dual simplex walks along its edges with as many basis elements as rows, after Sinha &
// Zoltners 1979 for one row, and takes each step as far as L falls (line_search.hpp). Any prices give a valid
// bound, so it may end early.
// Threads: pure.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "ilp/core/table.hpp"

namespace saccade::ilp {

// Per class pairs (option, number of its groups that take it).
using Counts = std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>>;

struct LpRelaxation {
  std::vector<double> prices;        // duals per row of the table, >= 0
  double bound = 0.0;                // L(prices), rounded up, in units of the table
  std::vector<double> reduced_cost;  // per option: best worth of its class minus its own, >= 0
  Counts counts;                     // the LP solution with fractions rounded; they add up to the members
  // A class on which the LP solution is fractional: `other_count` of its groups take `other` instead of
  // `base`.
  struct BasicPair {
    std::uint32_t group_class, base, other;
    double other_count;
  };
  std::vector<BasicPair> basic_pairs;
  bool infeasible = false;     // proven: the LP relaxation is infeasible
  std::vector<double> farkas;  // infeasible: prices of a Farkas certificate
  bool stopped = false;
  std::int64_t steps = 0;
};

// `start`: prices to start from; empty = 0.
[[nodiscard]] LpRelaxation relax(const Table& table, std::vector<double> start,
                                 const std::function<bool()>& stop);

// Farkas' lemma: whether at these prices the cheapest options cost more than the capacities are worth,
// rounding allowed for. Then the table is infeasible.
[[nodiscard]] bool is_farkas_certificate(const Table& table, std::vector<double> prices);

}  // namespace saccade::ilp
