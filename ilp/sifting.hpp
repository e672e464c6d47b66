// The LP relaxation of large tables, which is mostly looking at options that no solution comes near. First
// prices come from samples of the table. At good prices only options that lose little matter: the
// relaxation is solved with these few, all others are then held against its prices, and where one is better
// the few are taken anew. What comes out is the relaxation of the whole table.
// Threads: pure.
#pragma once

#include <functional>
#include <vector>

#include "ilp/relaxation.hpp"
#include "ilp/table.hpp"

namespace saccade::ilp {

// Start prices of a large table from samples of it; those of a small one are 0. Quick at any size; after
// a stop, prices that are as far as they got.
struct Estimate {
  std::vector<double> prices;
  bool infeasible = false;  // proven on the whole table
  std::vector<double> ray;  // infeasible: as in Relaxation
};
[[nodiscard]] Estimate estimate(const Table& table, const std::function<bool()>& stop);

// As relax(), quicker from good prices.
[[nodiscard]] Relaxation sift(const Table& table, std::vector<double> start,
                              const std::function<bool()>& stop);

}  // namespace saccade::ilp
