// The solver of plans, given every problem whole: what is framed is built first, and counted.
#pragma once

#include "ilp/core_solver.hpp"

namespace saccade::test {

class WholeProblems final : public ilp::ChoiceSolver {
 public:
  [[nodiscard]] const char* name() const override { return "whole"; }
  [[nodiscard]] ilp::ChoiceResult solve(const ilp::ChoiceProblem& problem,
                                        const ilp::SolveLimits& limits) const override {
    return ilp::CoreSolver().solve(problem, limits);
  }
  [[nodiscard]] ilp::ChoiceResult solve_framed(const ilp::FlatProblem& flat,
                                               const ilp::SolveLimits& limits) const override {
    ++framed_;
    return ChoiceSolver::solve_framed(flat, limits);
  }
  [[nodiscard]] int framed() const { return framed_; }

 private:
  mutable int framed_ = 0;
};

}  // namespace saccade::test
