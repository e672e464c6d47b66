// A choice problem as an integer programme (paper 004 III-C with several rows), in the terms of an LP
// code: one 0/1 column per option, one row per group that takes exactly one, one row per capacity,
// and for a peak limit y_p >= peak_vjp x_vj for all (group, peak) with sum of y_p <= capacity. All
// is shifted and scaled: a row counts what is used beyond the least of every group, in parts of what
// is spare then; level 0 counts from the best option of a group in parts of the largest range.
// Rows that cannot bind are left out. Later levels are not in it.
// Threads: plain values. Errors: the problem must be valid and not refuted by screen().
#pragma once

#include <vector>

#include "ilp/choice_problem.hpp"
#include "ilp/screening.hpp"
#include "ilp/settling.hpp"

namespace saccade::ilp {

// Rows and columns count from 1, as LP codes do; entry 0 of a vector that they index is unused.
struct Programme {
  std::vector<int> first_column;  // of each group; one more entry for the end
  std::vector<double> objective;  // per x column from 1
  std::vector<char> open;         // per x column from 1: may be picked
  struct Row {
    bool equality;  // else at most
    double bound;
  };
  std::vector<Row> rows;  // from 1
  std::vector<int> entry_row, entry_column;
  std::vector<double> entry_value;  // all three from 1, as glp_load_matrix() wants them
  int columns = 0;
  int x_columns = 0;
  double level_scale = 1.0;
  std::vector<int> use_row;       // per problem row, 0 = it cannot bind
  std::vector<double> use_scale;  // per problem row
  int first_peak_row = 0;         // rows (group, peak) group by group, then the sum; 0 = peaks cannot bind
  double peak_scale = 1.0;
};

[[nodiscard]] Programme make_programme(const ChoiceProblem& problem, const Screening& screening);

// Duals (>= 0) of the programme's rows in the problem's own units.
[[nodiscard]] Multipliers multipliers_of(const ChoiceProblem& problem, const Programme& programme,
                                         const std::vector<double>& duals);
// The dual of the peak capacity, likewise; 0 where it cannot bind.
[[nodiscard]] double peak_price_of(const ChoiceProblem& problem, const Programme& programme,
                                   const std::vector<double>& duals);

}  // namespace saccade::ilp
