// A choice problem as a 0/1 integer program (Minhas et al., III-C, with several rows) in the form an LP code
// takes: one binary column per option, one equality row per group, one row per capacity, and for a peak limit
// y_p >= peak_vjp x_vj for all (group, peak) with sum of y_p <= capacity. Shifted and scaled: a row counts
// the use above the minimum of every group relative to the slack that the minima leave; level 0 counts from
// the best option of each group relative to the largest range. Redundant rows and later levels are left out.
// Threads: plain values. Errors: the problem must be valid and not infeasible by screen().
#pragma once

#include <vector>

#include "ilp/certification.hpp"
#include "ilp/choice_problem.hpp"
#include "ilp/screening.hpp"

namespace saccade::ilp {

// Rows and columns count from 1, as in GLPK; entry 0 of a vector that they index is unused.
struct IntegerProgram {
  std::vector<int> first_column;  // of each group; one more entry for the end
  std::vector<double> objective;  // per x column from 1
  std::vector<char> open;         // per x column from 1: not excluded by screen()
  struct Row {
    bool equality;  // otherwise <=
    double bound;
  };
  std::vector<Row> rows;  // from 1
  std::vector<int> entry_row, entry_column;
  std::vector<double> entry_value;  // all three from 1, as glp_load_matrix() wants them
  int columns = 0;
  int x_columns = 0;
  double level_scale = 1.0;
  std::vector<int> use_row;       // per problem row, 0 = redundant
  std::vector<double> use_scale;  // per problem row
  int first_peak_row = 0;         // rows (group, peak) group by group, then the sum; 0 = peaks are redundant
  double peak_scale = 1.0;
};

[[nodiscard]] IntegerProgram make_integer_program(const ChoiceProblem& problem, const OpenOptions& open);

// Duals (>= 0) of the program's rows, in units of the problem.
[[nodiscard]] Multipliers multipliers_of(const ChoiceProblem& problem, const IntegerProgram& program,
                                         const std::vector<double>& duals);
// The dual of the peak capacity, likewise; 0 if it is redundant.
[[nodiscard]] double peak_price_of(const ChoiceProblem& problem, const IntegerProgram& program,
                                   const std::vector<double>& duals);

}  // namespace saccade::ilp
