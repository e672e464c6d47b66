// Selections of a table and primal heuristics: rounding the LP solution, greedy repair of violated rows by
// the reduced cost paid per violation removed, and greedy improvement within the slack (Toyoda 1975; Moser,
// Jokanovic & Shiratori 1997 for the multiple-choice form, with duals in place of their multipliers).
// Threads: pure.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "ilp/core/lp_relaxation.hpp"
#include "ilp/core/table.hpp"

namespace saccade::ilp {

struct Selection {
  std::vector<std::uint32_t> option;  // per group, of the table
  std::vector<double> slack;          // per row: capacity minus use; negative = violated
};

[[nodiscard]] Selection selection_of(const Table& table, std::vector<std::uint32_t> option);
// Assigns options to the members of each class in their order.
[[nodiscard]] Selection distribute(const Table& table, Counts counts);
// The LP solution with fractions rounded.
[[nodiscard]] Selection round_lp(const Table& table, const LpRelaxation& relaxation);
// All rows hold, up to kSlackTolerance.
[[nodiscard]] bool is_feasible(const Selection& selection);

// The first option of a class with the smallest reduced cost, which is 0.
[[nodiscard]] std::uint32_t least_reduced_cost(const Table& table, const LpRelaxation& relaxation,
                                               std::uint32_t group_class);

// False if no change of a single option reduces the violation any further, or if stopped.
[[nodiscard]] bool repair(const Table& table, const std::vector<double>& reduced_cost, Selection& selection,
                          const std::function<bool()>& stop);
// Applies the best feasible change of a single option until none raises the value.
void improve(const Table& table, Selection& selection, const std::function<bool()>& stop);

// As picks of the problem.
[[nodiscard]] Picks picks_of(const Table& table, const Selection& selection);

}  // namespace saccade::ilp
