// All options of a table priced at given row prices: their worth, the best option of every class, and the
// Lagrangian bound prices * capacities + sum over classes of count * best worth (lp_relaxation.hpp).
// Threads: plain values.
#pragma once

#include <cstdint>
#include <vector>

#include "ilp/core/table.hpp"

namespace saccade::ilp {

struct Pricing {
  std::vector<double> worth;        // per option: value minus the cost of its use
  std::vector<std::uint32_t> best;  // per class, the first of equals
  double bound = 0.0;               // on every selection, rounded up, in units of the table
};

// Fills `pricing`, whose memory is reused. One price per row, >= 0.
void price(const Table& table, const std::vector<double>& prices, Pricing& pricing);

// Per option the cost of its use; prices of any sign.
void costs_of(const Table& table, const std::vector<double>& prices, std::vector<double>& costs);

// Per option its reduced cost: the best worth of its class minus its own, >= 0; 0 within rounding.
[[nodiscard]] std::vector<double> reduced_costs_of(const Table& table, const Pricing& pricing);

}  // namespace saccade::ilp
