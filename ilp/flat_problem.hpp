// A choice problem as flat arrays, copied out in one pass: what screening and the reduction scan. Later
// levels and peaks stay in the problem, which has to outlive it.
// Threads: plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ilp/choice_problem.hpp"

namespace saccade::ilp {

struct FlatProblem {
  const ChoiceProblem* problem = nullptr;
  bool well_formed = false;  // validate() would be empty; otherwise nothing below may be used
  std::size_t rows = 0;
  std::vector<std::uint32_t> first;  // per group its first option; one more for the end
  std::vector<double> value;         // level 0 per option
  std::vector<double> use;           // per option and row, option by option

  [[nodiscard]] std::size_t groups() const { return first.size() - 1; }
};

[[nodiscard]] FlatProblem flatten(const ChoiceProblem& problem);

// The least and the largest amount per row of `options` > 0 options that stand one after the other.
void extremes_of(const double* use, std::size_t options, std::size_t rows, double* least, double* largest);

}  // namespace saccade::ilp
