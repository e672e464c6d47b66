// How the planner asks its solver: a problem, how close to proven the answer has to be, and a selection
// to start from. The limits of the whole decision (deadline, work) go with every question; what the planner
// does between questions looks at the same stop.
// Threads: one decision, one thread.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

#include "ilp/choice_solver.hpp"

namespace saccade::scheduler {

struct Question {
  double gap = ilp::kTolerance;  // the answer may end once it is proven within this
  std::optional<ilp::Picks> start = {};
};

// What the planner does besides asking its solver is counted in variants and offers that are looked at. The
// stop predicate is looked at once per kMost of them, about a millisecond: what is less is ended, since a
// plan a little late is better than none.
class Stop {
 public:
  static constexpr std::size_t kMost = 4'000;
  explicit Stop(std::function<bool()> asked = nullptr) : asked_(std::move(asked)) {}

  // After so much work more: is it to end now? True once is true from then on.
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
  // The solver must outlive this. Of `limits`, stop and max_nodes count.
  Solve(const ilp::ChoiceSolver& solver, ilp::SolveLimits limits)
      : solver_(solver), limits_(std::move(limits)), stop_(limits_.stop) {}

  [[nodiscard]] ilp::ChoiceResult operator()(const ilp::ChoiceProblem& problem,
                                             const Question& question) const {
    ++calls_;
    return solver_.solve(problem, {limits_.stop, limits_.max_nodes, question.gap, question.start});
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
