// The LP relaxation of a table by its dual. With a price per row the best selection falls apart into
// the best option of every class, and
//     L(prices) = prices * capacities + sum over classes of count * max over options (value - prices * use)
// bounds every selection from above. L is convex and piecewise linear; its least is the LP's optimum. It
// is found by walking along edges, a dual simplex with as many basic pairs as rows that takes each
// step as far as L falls. Any prices give a valid bound, therefore the walk may end early.
// Threads: pure.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "ilp/table.hpp"

namespace saccade::ilp {

struct Relaxation {
  std::vector<double> prices;  // per row of the table, >= 0
  double bound = 0.0;          // L(prices), rounded up, in units of the table
  std::vector<double> loss;    // per option: how far it is below the best of its class, >= 0
  // Per class its options in the optimum of the relaxation with their counts, which add up to the
  // number of members; fractions are rounded.
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> counts;
  // Where the optimum mixes: `weight` of the class's count goes to `other` instead of `base`.
  struct Tie {
    std::uint32_t group_class, base, other;
    double weight;
  };
  std::vector<Tie> ties;
  bool infeasible = false;  // proven: not even fractions of options hold the rows
  std::vector<double> ray;  // infeasible: prices at which the least possible use costs more than is spare
  bool stopped = false;
  std::int64_t steps = 0;
};

// Start prices of a large table from samples of it; those of a small one are 0. Quick at any size; after
// a stop, prices that are as far as they got.
struct Estimate {
  std::vector<double> prices;
  bool infeasible = false;  // proven on the whole table
  std::vector<double> ray;  // infeasible: as in Relaxation
};
[[nodiscard]] Estimate estimate(const Table& table, const std::function<bool()>& stop);

// `start`: prices to start from; empty = 0.
[[nodiscard]] Relaxation relax(const Table& table, std::vector<double> start,
                               const std::function<bool()>& stop);

}  // namespace saccade::ilp
