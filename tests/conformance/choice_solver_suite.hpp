// What every ChoiceSolver owes its callers. To hold a solver to it, include this header in one test
// file of its room and write
//   INSTANTIATE_TEST_SUITE_P(Glpk, ChoiceSolverSuite, ::testing::Values(&make_glpk));
// where make_glpk() returns a std::unique_ptr<ChoiceSolver>.
#pragma once

#include "tests/conformance/choice_solver_answers.hpp"  // IWYU pragma: export
#include "tests/conformance/choice_solver_limits.hpp"   // IWYU pragma: export
#include "tests/conformance/choice_solver_numbers.hpp"  // IWYU pragma: export
