// One case measured: every seed by every contender in turn, wall time of a steady clock around the
// answer, CPU time of the thread beside it. The order turns with the seed, because a machine drifts.
// A contender that is slow answers fewer seeds: the planner until kOwnBudget is spent, the others
// until kOtherBudget each; how many is said. All answers are recomputed by plain sums and held against
// each other.
// Threads: one measurement at a time.
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
inline constexpr double kOtherBudget = 6.0;  // s of one case and contender

struct Run {
  std::uint64_t seed = 0;
  double wall_ms = 0.0;
  double cpu_ms = 0.0;
  ilp::Verdict verdict = ilp::Verdict::unknown;
  std::optional<double> gap;  // ours: as proven; others: from the bound that ours proved
  bool late = false;          // ended by the time limit
  bool culprit = false;
  bool wrong = false;  // breaks a limit, or says infeasible where it is not
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
