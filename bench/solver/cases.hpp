// What `saccade bench solver` measures: named cases, each a family of instances at one size with requirements
// on the planner. A trial is one seed of a case, prepared before the clock starts, and is solved once.
// Threads: pure but for the trial's own solve.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "bench/solver/contender.hpp"
#include "bench/solver/families.hpp"

namespace saccade::bench {

enum class Subject {
  solve,   // the choice problem alone
  decide,  // a whole decision from a snapshot: filters, front, solve, accounting, explanation
  lower,   // the same where the demand does not fit, with the least loss by priority class
  front,   // a Pareto front over random points
};

struct Asked {  // requirements; absent = none
  std::optional<double> median_ms = {};
  std::optional<double> worst_ms = {};
  std::optional<double> gap = {};           // of every seed; kTolerance = exact
  std::optional<double> times_faster = {};  // than plain GLPK, median over the seeds
  bool verdict = false;  // infeasibility is proven on every seed, and the conflict is named
  bool loss = false;     // no class loses more than under the step rule
};

struct Case {
  const char* name;
  Subject subject = Subject::solve;
  Family family = Family::standard;
  InstanceShape shape = {};  // of a front: options = points, rows = measures
  double gap = ilp::kTolerance;
  double seconds = 2.0;  // time limit of one answer, of every solver
  Asked asked = {};
  bool new_sets = false;  // a decision: the profile sets are prepared in its time, not before
};
[[nodiscard]] std::span<const Case> cases();
// "standard, 5 x 60, 3 limits"
[[nodiscard]] std::string describe(const Case& which);
// "exact; median < 0.2 ms; worst < 5 ms"; empty = no requirements
[[nodiscard]] std::string describe(const Asked& asked);

struct Trial {
  std::optional<ilp::ChoiceProblem> problem;  // for the other solvers; absent = nothing to compare
  bool comparable = false;                    // our picks are picks of the problem, of equal value
  std::function<Answer()> ours;
  std::function<void(Answer&)> look = {};  // after the clock: fills picks and gap, notes mistakes
};
[[nodiscard]] Trial make_trial(const Case& which, std::uint64_t seed);

}  // namespace saccade::bench
