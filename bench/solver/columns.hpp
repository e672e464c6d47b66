// A choice problem as the matrix that solvers of integer programs take.
// Threads: plain functions and values.
#pragma once

#include <vector>

#include "ilp/choice_problem.hpp"

namespace saccade::bench {

// A choice problem as columns: one 0/1 column per option, group by group; one row that takes exactly
// one option of each group, then one row per capacity. Columns and rows count from 0.
struct Columns {
  std::vector<int> first;  // of each group; one more entry for the end
  std::vector<double> objective;
  std::vector<int> start;  // of each column in `row` and `value`; one more entry for the end
  std::vector<int> row;
  std::vector<double> value;
  int groups = 0;
  int rows = 0;
  [[nodiscard]] int count() const { return static_cast<int>(objective.size()); }
};
[[nodiscard]] Columns columns_of(const ilp::ChoiceProblem& problem);
// In every group the option whose column is largest.
[[nodiscard]] ilp::Picks picks_of(const Columns& columns, const std::vector<double>& values);

}  // namespace saccade::bench
