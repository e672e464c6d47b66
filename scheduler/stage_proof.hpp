// Which offers cannot be part of any selection that loses as little as is known to be possible: reduced-cost
// fixing for one stage of exact_degradation.hpp. The stage minimises a loss l subject to rows
// a_r(x) <= c_r, r = 1, 2, ... (those of the problem builder, then one per cap of the stages before). With
// dual prices y >= 0 of its LP relaxation, every offer o of choice i has the Lagrangian cost
//   d_i(o) = l(o) + sum_r y_r a_r(o),
// and every selection that obeys the rows loses at least  b = sum_i min_o d_i(o) - sum_r y_r c_r. One that
// contains offer o of choice i loses at least  b + d_i(o) - min d_i. If that exceeds the loss z of a known
// selection, no selection that loses at most z contains o. This is exact for any y >= 0; sums are widened
// by what rounding may have done to them.
// Source: G. L. Nemhauser, L. A. Wolsey, "Integer and Combinatorial Optimization", II.5.2 (1988).
// Threads: pure.
#pragma once

#include <cstddef>
#include <vector>

#include "scheduler/loss.hpp"

namespace saccade::scheduler {

class StageProof {
 public:
  // `prices`: per row of `problem`, the problem over `offers` with `caps` as its last rows (cap_losses()).
  // `stage`: the loss that is minimised; stage.most is what the known selection loses (z).
  // The builder must outlive the proof.
  StageProof(const ProblemBuilder& builder, const Offers& offers, const ilp::ChoiceProblem& problem,
             const std::vector<double>& prices, const std::vector<LossCap>& caps, const LossCap& stage);

  // False if no selection that loses at most z contains the offer.
  [[nodiscard]] bool admits(std::size_t choice, const Offer& offer) const;
  // Of the builder's rows.
  [[nodiscard]] const std::vector<double>& row_prices() const { return row_prices_; }

 private:
  [[nodiscard]] double reduced_cost(std::size_t choice, const Offer& offer) const;

  const ProblemBuilder* builder_;
  LossCap stage_;
  std::vector<LossCap> caps_;
  std::vector<double> row_prices_;
  std::vector<double> cap_prices_;  // 0 where the cap has no row
  std::vector<double> least_;       // per choice: min over its offers of d_i
  double slack_ = 0.0;              // z - b
};

}  // namespace saccade::scheduler
