// A choice problem as the reduction works on it: flat arrays, one objective, rows that can bind. All is
// shifted and scaled so that sums of small numbers decide: a value counts from the best option of its
// group (<= 0, the largest range is 1), a use from the least of its group (>= 0), a capacity is what is
// spare then and is 1 unless nothing is spare. Rounding is on the safe side: a selection that
// holds in the problem holds in the table, and bound() of a table's bound is a bound of the problem.
// A class is a set of groups that are equal in all that matters here; its options stand once.
// Threads: plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ilp/choice_problem.hpp"

namespace saccade::ilp {

// The options that are still in the race, per group ascending.
using OpenOptions = std::vector<std::vector<std::uint32_t>>;

// "sum of amounts <= allowed" beside the problem's own rows: how later levels cap earlier ones.
struct ExtraRow {
  std::size_t level = 0;  // the amount of an option is (best of its group) - (its value of this level)
  double least = 0.0;     // the sum of the level's values may not be below this
};

struct Table {
  std::size_t rows = 0;
  std::vector<std::uint32_t> first;                 // per class, its first option; one more for the end
  std::vector<std::uint32_t> option;                // per option its index in the group
  std::vector<double> value;                        // per option
  std::vector<double> use;                          // per option and row, option by option
  std::vector<double> capacity;                     // per row
  std::vector<std::vector<std::uint32_t>> members;  // per class its groups, ascending
  std::vector<std::uint32_t> class_of;              // per group

  std::vector<std::size_t> source;  // per row: row of the problem, or capacities.size() + extra row
  std::vector<double> row_scale;    // problem units per unit of the table
  double value_scale = 1.0;
  double value_offset = 0.0;  // problem value = offset + scale * table value
  double value_slop = 0.0;    // what rounding may cost, problem units

  [[nodiscard]] std::size_t classes() const { return members.size(); }
  [[nodiscard]] std::size_t options() const { return option.size(); }
  [[nodiscard]] const double* use_of(std::size_t index) const { return use.data() + index * rows; }
  [[nodiscard]] double bound(double table_bound) const {
    return value_offset + value_scale * table_bound + value_slop;
  }
};

// `objective` is a level. Every group has an open option. Empty extra rows for level 0.
[[nodiscard]] Table make_table(const ChoiceProblem& problem, const OpenOptions& open, std::size_t objective,
                               const std::vector<ExtraRow>& extra);

}  // namespace saccade::ilp
