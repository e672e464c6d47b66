// What the reduction reads of a choice problem, taken out in one pass: use and level 0 of every option in
// flat arrays. Later levels and peaks are read where they are. The problem must outlive it.
// Threads: plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ilp/choice_problem.hpp"
#include "ilp/screening.hpp"

namespace saccade::ilp {

struct FlatProblem {
  const ChoiceProblem* problem = nullptr;
  bool well_formed = false;  // what validate() says; else nothing below may be used
  std::size_t rows = 0;
  std::vector<std::uint32_t> first;  // per group its first option; one more for the end
  std::vector<double> value;         // level 0 per option
  std::vector<double> use;           // per option and row, option by option

  [[nodiscard]] std::size_t groups() const { return first.size() - 1; }
};

[[nodiscard]] FlatProblem flatten(const ChoiceProblem& problem);

// The options that are still in the race, per group ascending.
using OpenOptions = std::vector<std::vector<std::uint32_t>>;

// The same as screen(problem) says, for problems without a peak capacity.
struct FlatScreening {
  bool infeasible = false;
  std::vector<std::size_t> culprits;
  OpenOptions open;
  std::vector<double> least;  // per group and row of the problem, over all options
  std::vector<double> spare;  // per row: what of the capacity, tolerance included, the least leaves
};
[[nodiscard]] FlatScreening screen(const FlatProblem& flat);

}  // namespace saccade::ilp
