// Solves a ChoiceProblem as a mixed-integer program with GLPK (glp_intopt: LP-based branch and bound); the
// only file pair that includes glpk.h. One call builds, solves, copies out and deletes on the calling thread.
// GLPK computes with tolerances of about 1e-7, so its answer is only a claim: it is recomputed by evaluate();
// a selection that breaks a row is cut off and GLPK is called again; certify() then proves level 0 and breaks
// ties. What certify() cannot finish within its work limit stays `feasible` with a bound that allows for
// GLPK's tolerance, or `optimal` with ties not broken. A claim of infeasibility is checked by certify()
// within a smaller work limit; beyond that it is accepted. On misuse or lack of memory GLPK calls abort().
// That is caught (error hook and longjmp), the thread's GLPK environment is freed, and the verdict is
// `unknown` with limit `numerical`. The model is that of integer_program.hpp.
// Threads: reentrant; each call frees the GLPK environment of its thread at its end.
#pragma once

#include "ilp/choice_solver.hpp"

namespace saccade::ilp {

struct GlpkOptions {
  int memory_limit_megabytes = 512;  // of GLPK's own allocations
};

class GlpkSolver final : public ChoiceSolver {
 public:
  explicit GlpkSolver(GlpkOptions options = {}) : options_(options) {}

  [[nodiscard]] const char* name() const override { return "glpk"; }
  [[nodiscard]] ChoiceResult solve(const ChoiceProblem& problem, const SolveLimits& limits) const override;

 private:
  GlpkOptions options_;
};

}  // namespace saccade::ilp
