// What a placement is to be good at.
// Threads: plain values. Errors: none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/quantity.hpp"
#include "placement/cuts.hpp"
#include "placement/evaluate.hpp"

namespace saccade::placement {

enum class Objective { throughput, latency, energy };
[[nodiscard]] const char* to_string(Objective objective);

struct Aim {
  Objective objective = Objective::throughput;
  std::optional<Seconds> deadline = {};  // on the latency of a frame alone
  bool operator==(const Aim&) const = default;
};

// Seconds or joules, less is better; kImpossible when the deadline is missed.
[[nodiscard]] double value_of(const Aim& aim, const Totals& totals);
[[nodiscard]] double value_of(const Aim& aim, const Evaluation& evaluation);

// What a search found. `believed` is the value by the search's own reckoning, which evaluate() need not
// share.
struct Found {
  std::optional<Placement> placement;
  double believed = kImpossible;
  std::int64_t evaluations = 0;  // placements compared, or labels of an exact method
  bool complete = true;          // false: ended by a limit on the work
};

}  // namespace saccade::placement
