// What happens when the demand does not fit, exactly: as little as possible is lost, lexicographically
// by priority class. From the highest class down: first the least weight of tasks that are off, then the
// least sum of w * (f - g); each of these stages is fixed before the next. What is left to choose from
// goes to the objective, which is the caller's last stage.
//
// Rates of a task: its demand f less whole frames/s, down to its floor; with the floor itself, that are
// all rates the step rule can reach. The floors hold for every task: a task may be off only where its
// floor is 0. When the limits conflict with every task at its floor, that is no degradation any more but
// `infeasible`, and the fallback decides what is switched off. A task that asks for more than
// kMostRates frames/s above its floor is offered so many rates evenly spaced.
//
// Every stage is a choice problem with (variant, rate) options and one row for each stage before it.
// It starts from the step rule's selection, so that no class ever loses more (lexicographically), and
// only sees options that no other beats in loss and in everything a row counts. Losses often are
// multiples of a quantum (whole frames times weights): then a bound within one quantum is a proof. The
// prices of a stage bound what an option would cost it; what costs more than the stage may lose is not
// offered again. That is exact and leaves little to the objective.
// When the time is over, the best selection known is all that is offered.
// Paper 004 III-D and we differ: the paper lowers step by step (degradation.hpp).
// Threads: pure.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "scheduler/degradation.hpp"
#include "scheduler/formulation.hpp"
#include "scheduler/question.hpp"

namespace saccade::scheduler {

inline constexpr std::size_t kMostRates = 1000;  // offered to one task

// At most this much may be lost by a class: the row that fixes a stage.
struct LossCap {
  int priority = 0;
  bool off = false;   // of the weight that is off, else of the weighted frames/s
  double most = 0.0;  // a relative 1e-9 beyond is allowed, as with every row
};

struct LeastLoss {
  enum class Outcome {
    found,
    exhausted,  // proven: nothing fits
    stopped,    // stopped before anything was found
  };
  Outcome outcome = Outcome::stopped;
  Offers offers;               // every offer with which no more is lost than has to be, and a few more
  std::vector<LossCap> caps;   // what keeps selections from losing more; see cap_losses()
  Selection selection;         // found: one of them
  std::optional<double> gap;   // of the first stage that is not proven; 0 = all are; absent = no bound
  std::vector<double> prices;  // per row of the formulation: weighted frames/s that one unit more of it
                               // would save in the highest class that loses any; empty = unknown
};

// `seed`: a selection that fits, at rates of the ladder, if one is known.
[[nodiscard]] LeastLoss least_loss(const Formulation& formulation, const StepLadder& ladder,
                                   const std::optional<Selection>& seed, const Solve& solve);

// Adds a row for every cap above 0; where a cap is 0 no offer of its class loses anything.
void cap_losses(const Formulation& formulation, const Offers& offers, const std::vector<LossCap>& caps,
                ilp::ChoiceProblem& problem);

}  // namespace saccade::scheduler
