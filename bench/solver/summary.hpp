// The figures of a measured case: a summary of each contender's runs, and whether the planner meets the
// requirements. Threads: pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bench/solver/measurement.hpp"

namespace saccade::bench {

struct Summary {
  std::string solver;
  std::size_t n = 0;  // seeds answered; with 0 the rest means nothing
  double median_ms = 0.0;
  double p99_ms = 0.0;
  double worst_ms = 0.0;
  double median_cpu_ms = 0.0;  // of the thread's own CPU time
  double worst_cpu_ms = 0.0;
  std::optional<double> median_gap;
  std::optional<double> worst_gap;
  double proven = 0.0;      // share: optimal to the gap that the case is solved to, or infeasible
  double infeasible = 0.0;  // share
  double culprit = 0.0;     // share with the conflict named
  std::size_t late = 0;     // ended by the time limit
  std::size_t wrong =
      0;  // breaks a limit or claims infeasibility of a feasible instance; ours: any complaint
  bool median_late = false;  // more than half were ended by the time limit: the median is a lower bound
  // Median over the common seeds of its time / the planner's; of seeds that were late a lower bound.
  std::optional<double> times_ours;
  bool times_at_least = false;
};

struct Check {
  std::string what;  // "median_ms", ...
  double asked = 0.0;
  std::optional<double> measured;
  bool met = false;
};

struct CaseSummary {
  const Case* which = nullptr;
  std::vector<Summary> solvers;  // ours first
  std::vector<Check> checks;     // empty = no requirements
  std::vector<std::string> complaints;
  [[nodiscard]] const Summary* of(const std::string& solver) const;  // null when it answered nothing
};

[[nodiscard]] CaseSummary summarise(const Measured& measured);

}  // namespace saccade::bench
