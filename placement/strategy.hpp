// The named strategies: each finds a placement for an aim, scored by evaluate().
// Threads: pure. Errors: what a strategy cannot do is a reason in its answer, not an error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "placement/objective.hpp"
#include "placement/transitions.hpp"

namespace saccade::placement {

struct Request {
  Aim aim;
  std::size_t max_stages = 4;
  bool count_transfers = true;    // of `lnt`
  Profit profit = Profit::ratio;  // of `knapsack`
  std::size_t without_gain = 10;  // of `pipe-search`: alpha
};

struct Answer {
  std::optional<Placement> placement;  // legal; absent: see the reason
  std::string reason;                  // why there is none; of a placement, what is to be known of it
  double believed = kImpossible;       // the strategy's own reckoning, in the aim's unit
  double value = kImpossible;          // by evaluate(); kImpossible when it misses the deadline
  std::optional<Evaluation> evaluation;
  std::int64_t evaluations = 0;
  double bound = 0.0;    // of `exact`: no placement with so many stages is better
  bool complete = true;  // false: ended by a limit on the work
};

struct Strategy {
  const char* name;
  const char* source;  // "paper 000, Algorithm 1"
  const char* summary;
  Answer (*run)(const Costs& costs, const Request& request);
};

[[nodiscard]] std::span<const Strategy> strategies();
[[nodiscard]] const Strategy* find_strategy(std::string_view name);  // null: none

}  // namespace saccade::placement
