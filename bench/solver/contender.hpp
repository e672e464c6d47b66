// The solvers that are compared: this project's and others, used as their manuals show. All solve the same
// choice problem to the same gap under the same time limit. Threads: answer() on one thread at a time.
// Errors: a contender that fails answers `unknown`.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ilp/choice_solver.hpp"

namespace saccade::bench {

struct Request {
  const ilp::ChoiceProblem& problem;  // without peaks
  double gap = ilp::kTolerance;       // relative; a proof to this gap is enough
  double seconds = 2.0;               // then the answer is the best known
};

struct Answer {
  ilp::Verdict verdict = ilp::Verdict::unknown;
  ilp::Picks picks;
  std::optional<double> gap;  // as the contender proves it itself; absent = not reported
  bool culprit = false;       // infeasible: the conflict was named
  std::string note = {};      // a complaint about the answer itself; empty = none
};

class Contender {
 public:
  virtual ~Contender() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual std::string version() const = 0;
  [[nodiscard]] virtual Answer answer(const Request& request) const = 0;
};

// Plain GLPK: glp_simplex and glp_intopt with the defaults of glp_init_smcp() and glp_init_iocp()
// except for the gap and the time limit; or, with `presolve`, glp_intopt alone with its presolver, which
// solves the relaxation itself. The problem's own numbers, no scaling, no re-check.
[[nodiscard]] std::unique_ptr<Contender> make_plain_glpk(bool presolve);
// A solver of this project.
[[nodiscard]] std::unique_ptr<Contender> make_own(std::unique_ptr<ilp::ChoiceSolver> solver,
                                                  std::string name);
#ifdef SACCADE_WITH_CBC
[[nodiscard]] std::unique_ptr<Contender> make_cbc();
#endif
#ifdef SACCADE_WITH_HIGHS
[[nodiscard]] std::unique_ptr<Contender> make_highs();
#endif

// The solver of `saccade plan`.
[[nodiscard]] const ilp::ChoiceSolver& product_solver();
[[nodiscard]] Answer answer_of(const ilp::ChoiceSolver& solver, const Request& request);

struct Others {
  std::vector<std::unique_ptr<Contender>> contenders;
  std::vector<std::string> missing;  // "CBC": not installed when this program was built
};
[[nodiscard]] Others other_contenders();

// A predicate that turns true after `seconds` from now.
[[nodiscard]] std::function<bool()> stop_after(double seconds);

}  // namespace saccade::bench
