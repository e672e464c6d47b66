// Measures one case: every seed by every contender in turn, in wall time of a steady clock and CPU time of
// the thread. The order rotates with the seed, because machines drift. Slow contenders answer fewer seeds:
// the planner stops once kOwnBudget is spent, the others at kOtherBudget each. All answers are recomputed by
// plain sums and compared with each other. Threads: one measurement at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/solver/cases.hpp"

namespace saccade::bench {

inline constexpr double kOwnBudget = 120.0;  // s of one case
inline constexpr double kOtherBudget = 5.0;  // s of one case and contender

struct Run {
  std::uint64_t seed = 0;
  double wall_ms = 0.0;
  double cpu_ms = 0.0;
  ilp::Verdict verdict = ilp::Verdict::unknown;
  std::optional<double> gap;  // ours: as proven; others: from the bound that ours proved
  bool late = false;          // ended by the time limit
  bool culprit = false;
  bool wrong = false;  // breaks a limit, or claims infeasibility of a feasible instance
};

struct Column {  // of one contender
  std::string name;
  std::vector<Run> runs;
};

struct Measured {
  const Case* which = nullptr;
  std::vector<Column> columns;          // ours first
  std::vector<std::string> complaints;  // about our answers; empty = none
};

struct Settings {
  std::uint64_t first_seed = 1;
  std::uint64_t seeds = 200;
  double own_budget = kOwnBudget;
  double other_budget = kOtherBudget;
};

[[nodiscard]] Measured measure(const Case& which, std::span<const std::unique_ptr<Contender>> others,
                               const Settings& settings, const std::function<void(double)>& progress);

}  // namespace saccade::bench
