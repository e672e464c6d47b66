// Both solvers under the suite of their interface.
#include "ilp/core_solver.hpp"
#include "ilp/exhaustive_solver.hpp"
#include "ilp/glpk_solver.hpp"
#include "tests/conformance/choice_solver_suite.hpp"

namespace saccade::test {
namespace {

template <class Solver>
std::unique_ptr<ilp::ChoiceSolver> make() {
  return std::make_unique<Solver>();
}

INSTANTIATE_TEST_SUITE_P(Glpk, ChoiceSolverSuite, ::testing::Values(&make<ilp::GlpkSolver>));
INSTANTIATE_TEST_SUITE_P(Exhaustive, ChoiceSolverSuite, ::testing::Values(&make<ilp::ExhaustiveSolver>));
INSTANTIATE_TEST_SUITE_P(Core, ChoiceSolverSuite, ::testing::Values(&make<ilp::CoreSolver>));

}  // namespace
}  // namespace saccade::test
