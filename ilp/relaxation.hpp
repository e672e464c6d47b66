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
#include <utility>
#include <vector>

#include "ilp/table.hpp"

namespace saccade::ilp {

// Per class options with how many of its members take each.
using Counts = std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>>;

struct Relaxation {
  std::vector<double> prices;  // per row of the table, >= 0
  double bound = 0.0;          // L(prices), rounded up, in units of the table
  std::vector<double> loss;    // per option: how far it is below the best of its class, >= 0
  Counts counts;               // in the optimum; they add up to the members, fractions are rounded
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

// `start`: prices to start from; empty = 0.
[[nodiscard]] Relaxation relax(const Table& table, std::vector<double> start,
                               const std::function<bool()>& stop);

// Whether at these prices the least possible use costs more than all that is spare: then nothing holds.
[[nodiscard]] bool refutes(const Table& table, std::vector<double> ray);

}  // namespace saccade::ilp
