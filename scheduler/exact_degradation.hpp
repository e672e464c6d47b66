// What happens when the demand does not fit, exactly: the losses are minimised lexicographically by
// priority class. Notation: task i has weight w_i, demanded rate f_i and is granted g_i <= f_i; classes
// 1, 2, ..., m from the highest priority; W_k and L_k are the two losses of class k (loss.hpp).
//
// The stages, in order s = 1, ..., 2m, with l_1 = W_1, l_2 = L_1, l_3 = W_2, ..., l_2m = L_m:
//   z_s = min l_s(x)  over selections x of offers (variant, rate)
//         s.t.  x obeys every row and the joint peak of the ProblemBuilder
//               l_r(x) <= z_r (1 + 1e-9)    for all r < s
// The result is the offers and the caps z_1, ..., z_2m; maximising the objective under these caps is the
// caller's last stage. One weighted sum of all losses would need weights beyond double precision.
//
// The offers of task i: its variants at the rates f_i, f_i - 1, f_i - 2, ... down to its floor
// (Menus::floor()) and the floor itself, which are all rates the step rule (degradation.hpp) can reach; if
// there are more than kMostRates of them, about so many, evenly spaced, the lowest above the floor and the
// rate of the seed; what is lost by that is part of the gap. A task may be off only if its floor is 0. If no
// selection exists even with every task at its floor, the outcome is `exhausted`: infeasible, no longer a
// matter of degradation.
//
// What keeps a stage small, each without changing z_s:
//   incumbent  the best selection so far, at first the step rule's; so the vector of losses is never
//              lexicographically worse than that of the step rule
//   dominance  only offers that no other beats in l_s, in the capped losses and in every row
//   quantum    if all losses are multiples of q, an incumbent that loses less than bound + q is optimal
//   pricing    offers that the stage's dual prices prove too expensive are dropped from this and all later
//              stages (stage_proof.hpp)
// When the stop predicate fires, the best selection so far is the only one offered.
//
// Paper 004 III-D lowers rates step by step instead (degradation.hpp).
// Threads: pure.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "scheduler/degradation.hpp"
#include "scheduler/loss.hpp"
#include "scheduler/problem_builder.hpp"
#include "scheduler/question.hpp"

namespace saccade::scheduler {

inline constexpr std::size_t kMostRates = 1000;  // offered to one task

struct LeastLoss {
  enum class Outcome {
    found,
    exhausted,  // proven: nothing fits
    stopped,    // stopped before any selection was found
  };
  Outcome outcome = Outcome::stopped;
  Offers offers;              // contains every selection that obeys the caps, and possibly others
  std::vector<LossCap> caps;  // z_1, ..., z_2m, for cap_losses(); empty when stopped early
  Selection selection;        // found: one that obeys the caps
  // (l_s - bound) / l_s of the first stage that is not proven; 0 = all are; absent = no bound. The bound is
  // that of all rates, including those that are not offered.
  std::optional<double> gap;
  // Per row of the builder: weighted frames/s that one more unit of it would save in the highest class
  // that loses any (dual prices of that stage); empty = unknown.
  std::vector<double> prices;
};

// `seed`: a selection that fits, at rates of the ladder, if one is known.
[[nodiscard]] LeastLoss least_loss(const ProblemBuilder& builder, const StepLadder& ladder,
                                   const std::optional<Selection>& seed, const Solve& solve);

}  // namespace saccade::scheduler
