// How the planner queries its solver: a problem, the required gap, and a selection to start from. The limits
// of the whole decision (deadline, work) apply to every query; the planner's own work between queries is
// ended by the same stop predicate.
// Threads: one decision, one thread.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

#include "ilp/choice_solver.hpp"

namespace saccade::scheduler {

struct Question {
  double gap = ilp::kTolerance;  // relative; the solver may stop once this is proven
  std::optional<ilp::Picks> start = {};
};

// The planner's own work is measured in variants and offers examined. The stop predicate is polled once per
// kMost of them, about every millisecond; shorter work always completes, because a slightly late plan beats
// none.
class Stop {
 public:
  static constexpr std::size_t kMost = 4'000;
  explicit Stop(std::function<bool()> asked = nullptr) : asked_(std::move(asked)) {}

  // Adds `work`; true if the planner should end now. Once true, always true.
  [[nodiscard]] bool after(std::size_t work) {
    work_ += work;
    if (stopped_ || work_ < kMost) return stopped_;
    work_ = 0;
    return stopped_ = asked_ && asked_();
  }

 private:
  std::function<bool()> asked_;
  std::size_t work_ = 0;
  bool stopped_ = false;
};

class Solve {
 public:
  // The solver must outlive this. Only stop and max_nodes of `limits` are used.
  Solve(const ilp::ChoiceSolver& solver, ilp::SolveLimits limits)
      : solver_(solver), limits_(std::move(limits)), stop_(limits_.stop) {}

  [[nodiscard]] ilp::ChoiceResult operator()(const ilp::ChoiceProblem& problem,
                                             const Question& question) const {
    ++calls_;
    return solver_.solve(problem, {limits_.stop, limits_.max_nodes, question.gap, question.start});
  }
  [[nodiscard]] ilp::ChoiceResult operator()(const ilp::FlatProblem& framed, const Question& question) const {
    ++calls_;
    return solver_.solve_framed(framed, {limits_.stop, limits_.max_nodes, question.gap, question.start});
  }
  // As Stop::after().
  [[nodiscard]] bool stopped(std::size_t work) const { return stop_.after(work); }
  [[nodiscard]] int calls() const { return calls_; }

 private:
  const ilp::ChoiceSolver& solver_;
  const ilp::SolveLimits limits_;
  mutable Stop stop_;
  mutable int calls_ = 0;
};

}  // namespace saccade::scheduler
