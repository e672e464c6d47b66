// What a proof over the whole fleet rests on: prices. For any prices lambda_gk >= 0 of the rows k of group g,
//   L(lambda) = sum_gk lambda_gk C_gk
//             + sum_i max( off_i, max over groups g, offers o, rates r of  v_iogr - sum_k lambda_gk u_iokr )
// is at least the value of every assignment (Lagrangean relaxation of the capacities; C_g = the sum over the
// boxes of the group, which relaxes further). Spread, together, pins inside a group and joint peaks are left
// out, which keeps it a bound. In a stage that minimises a loss, v is minus that loss.
// Uses and values are linear in the rate, so only the demanded and the least rate of every offer are
// examined: the bound covers every rate between them. Prices are found by multiplicative steps, one step size
// per row: it grows while the sign of the excess stays and shrinks when it turns. L is a sum over the parts
// of the fleet that no camera may choose between (relaxation.hpp); of each the best share of L is kept. The
// moving cost counts against every group but the home's. Source: Geoffrion, Lagrangean relaxation for integer
// programming (1974); the step rule is in the manner of Rprop (Riedmiller & Braun, 1993). Threads: pure.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

#include "fleet/model.hpp"

namespace saccade::fleet {

// What is maximised, and what is allowed.
struct Stage {
  enum class Measure { value, weight_off, rate_loss };
  Measure measure = Measure::value;
  std::size_t rank = 0;              // of a loss
  std::vector<bool> may_be_off;      // per rank
  std::vector<bool> may_be_lowered;  // per rank
  // Added to the value of being off, per unit of weight, to steer a search: any finite number below 0 makes
  // a fleet that does not hold all give a finite answer. 0 = the bound of the stage itself.
  double off_penalty = 0.0;
};
// Everything at its demanded rate; what does not fit may be off at a penalty. Not a stage of a proof.
[[nodiscard]] Stage steering_stage(const Model& model);

struct Prices {
  std::vector<std::vector<double>> of;                     // per group and row
  double bound = std::numeric_limits<double>::infinity();  // L of the best prices, rounded outward
  int passes = 0;                                          // of the part that took most
};

struct PriceLimits {  // of every part
  int passes = 200;
  double tolerance = 0.0;  // relative to the bound: end when a window of passes improved it by less
  std::function<bool()> stop = nullptr;
  // In a stage of a loss: what every camera loses in an assignment that the stage allows. A part that loses
  // nothing has no better bound than 0 and takes no passes. Empty: unknown.
  std::vector<double> known = {};
  double window = 0.1;  // share of the passes
};

// `from`: prices to begin with; empty: from the mean value of a capacity.
[[nodiscard]] Prices find_prices(const Model& model, const Stage& stage, const PriceLimits& limits,
                                 const std::vector<std::vector<double>>& from = {});
// L of these prices, rounded outward.
[[nodiscard]] double bound_of(const Model& model, const Stage& stage,
                              const std::vector<std::vector<double>>& prices);

// The offer of greatest reduced value of a camera at the demanded rate, at prices of a kind's rows.
struct Reduced {
  double value = -std::numeric_limits<double>::infinity();  // v - sum lambda u; -infinity: no offer
  std::size_t offer = 0;
};
[[nodiscard]] Reduced best_at(const Kind& kind, const Menu& menu, const Item& item,
                              const std::vector<double>& prices);

}  // namespace saccade::fleet
