// The reduced form of a choice problem: flat arrays of level 0 and of the rows that are not redundant, with
// identical groups aggregated. Shifted and scaled, so that sums are of small numbers: a value counts from the
// best option of its group (<= 0, the largest range is 1), a use from the minimum of its group (>= 0), a
// capacity is the slack that the minima leave, scaled to 1 unless there is none. Rounding is on the safe
// side: a selection feasible in the problem is feasible in the table, and bound() turns a bound of the table
// into one of the problem. If all uses of a row are multiples of one quantum, its capacity is rounded down to
// a multiple (Chvatal-Gomory rounding; grid.hpp). A class is a set of groups that are equal in every level,
// amount and peak of their open options (symmetry removed by aggregation); its options stand once, with a
// count. What textbooks call a class of the multiple-choice knapsack is a group here.
// Threads: plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ilp/flat_problem.hpp"
#include "ilp/screening.hpp"

namespace saccade::ilp {

struct Table {
  std::size_t rows = 0;
  std::vector<std::uint32_t> first;                 // per class, its first option; one more for the end
  std::vector<std::uint32_t> option;                // per option its index in the group
  std::vector<double> value;                        // per option
  std::vector<double> use;                          // per option and row, option by option
  std::vector<double> capacity;                     // per row
  std::vector<double> count;                        // per class, the number of its groups
  std::vector<std::vector<std::uint32_t>> members;  // per class its groups, ascending
  std::vector<std::uint32_t> class_of;              // per group

  std::vector<std::size_t> source;  // per row: the row of the problem
  std::vector<double> row_scale;    // problem units per unit of the table
  double value_scale = 1.0;
  double value_offset = 0.0;    // problem value = offset + scale * table value
  double value_rounding = 0.0;  // error bound of that, problem units
  double value_step = 0.0;      // smallest difference of unequal selections, problem units; 0 = unknown

  [[nodiscard]] std::size_t classes() const { return count.size(); }
  [[nodiscard]] std::size_t options() const { return option.size(); }
  [[nodiscard]] const double* use_of(std::size_t index) const { return use.data() + index * rows; }
  // A bound of the table as one of the problem, and a value of the problem in units of the table: both on the
  // safe side.
  [[nodiscard]] double bound(double table_bound) const {
    return value_offset + value_scale * table_bound + value_rounding;
  }
  [[nodiscard]] double value_below(double problem_value) const {
    return (problem_value - value_offset - value_rounding) / value_scale;
  }
};

// Every group has an open option. `gap`: relative, what the caller accepts; grids too fine to matter within
// it are not searched for.
[[nodiscard]] Table make_table(const FlatProblem& flat, const OpenOptions& open, double gap = kTolerance);

}  // namespace saccade::ilp
