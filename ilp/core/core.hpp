// Fixing by reduced cost (Nemhauser & Wolsey 1988, II.5.2; the core of Balas & Zemel 1980). An option is
// dropped if its reduced cost brings every selection with it to the incumbent's value or below; a class with
// one option left is fixed and its use taken from the capacities. Every better selection of the table is one
// of the core plus the fixed options.
// Threads: plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ilp/core/lp_relaxation.hpp"
#include "ilp/core/selection.hpp"
#include "ilp/core/table.hpp"

namespace saccade::ilp {

struct Core {
  Table table;                              // `option` indexes the whole table
  LpRelaxation relaxation;                  // of the whole table, restricted to the core; without counts
  double fixed_value = 0.0;                 // value of a selection = fixed_value + its value in the core
  std::vector<std::uint32_t> group;         // per group of the core, its group in the whole table
  std::vector<std::uint32_t> fixed_option;  // per group of the whole table, if fixed
  std::vector<std::uint32_t> index;  // per option of the whole table its index in the core, or kDropped

  static constexpr std::uint32_t kDropped = 0xffffffffU;
};

// `value`: of the incumbent, in units of the table; -infinity = none, then nothing is dropped.
[[nodiscard]] Core fix_by_reduced_cost(const Table& table, const LpRelaxation& relaxation, double value);

// A selection of the whole table as one of the core; absent if an option of it was dropped.
[[nodiscard]] std::optional<Selection> restrict_to(const Core& core, const Selection& whole);

// A selection of the core plus the fixed options, as picks of the problem.
[[nodiscard]] Picks picks_of(const Table& table, const Core& core, const Selection& part);

}  // namespace saccade::ilp
