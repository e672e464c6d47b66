// Solves a ChoiceProblem as a mixed integer programme with GLPK; the only file pair that sees glpk.h.
// One call builds, solves, copies out and deletes on the calling thread. GLPK computes with
// tolerances of about 1e-7, therefore its answer is a claim: each one is recomputed by evaluate(), one
// that breaks a row is cut off and GLPK asked again, and settle() proves level 0 and settles ties.
// What settle() cannot finish within its work limit stays `feasible` with a bound that allows for
// GLPK's tolerance, or `optimal` with unsettled ties.
// Misuse and lack of memory make GLPK call abort(); that is caught (error hook and longjmp), the
// thread's GLPK environment is freed, and the verdict is `unknown` with limit `numerical`.
// GLPK's word that nothing is feasible is checked by the same search, as far as a smaller work limit
// goes; beyond it that word stands. The model is that of programme.hpp.
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
