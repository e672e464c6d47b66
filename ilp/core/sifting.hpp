// The LP relaxation of large tables. Most options are never in an optimal basis: the relaxation is solved
// with the options of small reduced cost, all others are then priced at its duals, and where one of them is
// better the subset is chosen anew (sifting; Forrest 1989, Bixby et al. 1992). The first prices come from
// samples of the table. The result is the relaxation of the whole table.
// Threads: pure.
#pragma once

#include <functional>
#include <vector>

#include "ilp/core/lp_relaxation.hpp"
#include "ilp/core/table.hpp"

namespace saccade::ilp {

// Start prices for a large table, from samples of its classes; none for a small one. Fast at any size; after
// a stop, the prices reached so far.
struct SamplePrices {
  std::vector<double> prices;
  bool infeasible = false;     // proven on the whole table
  std::vector<double> farkas;  // infeasible: as in LpRelaxation
};
[[nodiscard]] SamplePrices sample_prices(const Table& table, const std::function<bool()>& stop);

// As relax(), but faster from good start prices.
[[nodiscard]] LpRelaxation sift(const Table& table, std::vector<double> start,
                                const std::function<bool()>& stop);

}  // namespace saccade::ilp
