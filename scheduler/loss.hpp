// What a selection loses, per priority class: the weight of tasks that are off, and the weighted frames/s
//   W_k = sum of w_i over tasks i of class k with g_i = 0
//   L_k = sum of w_i (f_i - g_i) over tasks i of class k
// (w weight, f demanded rate, g granted rate). Both are sums over tasks, so that each is one row, or one
// level, of a choice problem.
// Threads: pure.
#pragma once

#include <set>
#include <vector>

#include "ilp/choice_problem.hpp"
#include "scheduler/problem_builder.hpp"

namespace saccade::scheduler {

// One of the two measures of one class, and how large it may be.
struct LossCap {
  int priority = 0;
  bool off = false;   // W of the class, else its L
  double most = 0.0;  // holds iff loss <= most (1 + 1e-9), as every row
};

// What one offer adds to the measure of a cap.
[[nodiscard]] double loss_of(const Snapshot& snapshot, const Choice& choice, const Offer& offer,
                             const LossCap& cap);

// Adds a row for every cap with most > 0. A cap of 0 needs none provided that no offer adds to its measure.
void cap_losses(const Menus& menus, const Offers& offers, const std::vector<LossCap>& caps,
                ilp::ChoiceProblem& problem);

// The largest q of which all `losses` are multiples; 0 if there is none that is significantly above rounding
// errors. Whole frames/s times weights often have one.
[[nodiscard]] double quantum_of(const std::set<double>& losses);

}  // namespace saccade::scheduler
