// A choice problem as the reduction works on it: flat arrays, level 0 and the rows that can bind. All is
// shifted and scaled so that sums of small numbers decide: a value counts from the best option of its
// group (<= 0, the largest range is 1), a use from the least of its group (>= 0), a capacity is what is
// spare then and is 1 unless nothing is spare. Rounding is on the safe side: a selection that
// holds in the problem holds in the table, and bound() of a table's bound is a bound of the problem.
// Where all uses of a row lie on a grid, its capacity is taken down to the grid.
// A class is a set of groups that are equal in every level, amount and peak of their open options; its
// options stand once.
// Threads: plain values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "ilp/flat_problem.hpp"

namespace saccade::ilp {

struct Table {
  std::size_t rows = 0;
  std::vector<std::uint32_t> first;                 // per class, its first option; one more for the end
  std::vector<std::uint32_t> option;                // per option its index in the group
  std::vector<double> value;                        // per option
  std::vector<double> use;                          // per option and row, option by option
  std::vector<double> capacity;                     // per row
  std::vector<double> count;                        // per class, how many groups it stands for
  std::vector<std::vector<std::uint32_t>> members;  // per class its groups, ascending
  std::vector<std::uint32_t> class_of;              // per group

  std::vector<std::size_t> source;  // per row: the row of the problem
  std::vector<double> row_scale;    // problem units per unit of the table
  double value_scale = 1.0;
  double value_offset = 0.0;  // problem value = offset + scale * table value
  double value_slop = 0.0;    // what rounding may cost, problem units
  double value_step = 0.0;    // unequal selections differ by this much at least, problem units; 0: no such

  [[nodiscard]] std::size_t classes() const { return count.size(); }
  [[nodiscard]] std::size_t options() const { return option.size(); }
  [[nodiscard]] const double* use_of(std::size_t index) const { return use.data() + index * rows; }
  [[nodiscard]] double bound(double table_bound) const {
    return value_offset + value_scale * table_bound + value_slop;
  }
};

// What rounding may do to a sum of so many numbers, relative to their magnitudes: far above what sums of a
// few lose, and growing with the number.
[[nodiscard]] inline double rounding_of(double numbers) {
  return std::max(1e-12, 4.0 * std::numeric_limits<double>::epsilon() * numbers);
}

// Every group has an open option. `gap`: how close to proven an answer has to be, relative; grids too fine to
// decide anything within it are not looked for.
[[nodiscard]] Table make_table(const FlatProblem& flat, const OpenOptions& open, double gap = kTolerance);

}  // namespace saccade::ilp
