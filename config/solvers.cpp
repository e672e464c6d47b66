#include "config/solvers.hpp"

#include "base/check.hpp"
#include "ilp/core_solver.hpp"
#include "ilp/glpk_solver.hpp"

namespace saccade::config {

const std::vector<std::string>& solver_names() {
  static const std::vector<std::string> names = {"core", "glpk"};
  return names;
}

std::unique_ptr<ilp::ChoiceSolver> make_solver(const std::string& name) {
  if (name == "core") return std::make_unique<ilp::CoreSolver>();
  SACCADE_CHECK(name == "glpk");
  return std::make_unique<ilp::GlpkSolver>();
}

}  // namespace saccade::config
