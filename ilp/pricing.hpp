// Every option of a table at given prices of its rows: what it is worth, which is the best of its class, and
// the bound that follows (relaxation.hpp): prices * capacities + sum over classes of count * best worth.
// Threads: plain values.
#pragma once

#include <cstdint>
#include <vector>

#include "ilp/table.hpp"

namespace saccade::ilp {

struct Pricing {
  std::vector<double> worth;        // per option: value less what its use costs
  std::vector<std::uint32_t> best;  // per class, the first of equals
  double bound = 0.0;               // of every selection, rounded up, in units of the table
};

// Fills `pricing`, which may hold another pricing of the same table. One price per row, >= 0.
void price(const Table& table, const std::vector<double>& prices, Pricing& pricing);

// Per option what its use costs at any prices, negative ones too.
void costs_of(const Table& table, const std::vector<double>& prices, std::vector<double>& costs);

// Per option how far it is below the best of its class, >= 0; what is only rounding is 0.
[[nodiscard]] std::vector<double> losses_of(const Table& table, const Pricing& pricing);

}  // namespace saccade::ilp
