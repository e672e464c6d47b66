// How the planner asks its solver: a problem, how close to proven the answer has to be, and a selection
// to start from. The limits of the whole decision (deadline, work) are added by whoever provides Solve.
// Threads: plain values.
#pragma once

#include <functional>
#include <optional>

#include "ilp/choice_problem.hpp"
#include "ilp/choice_result.hpp"

namespace saccade::scheduler {

struct Question {
  double gap = ilp::kTolerance;  // the answer may end once it is proven within this
  std::optional<ilp::Picks> start = {};
};

using Solve = std::function<ilp::ChoiceResult(const ilp::ChoiceProblem&, const Question&)>;

}  // namespace saccade::scheduler
