// A choice problem as flat arrays: what screening and the reduction scan. Later levels and peaks stay in the
// problem, which has to outlive it. Either they are copied out of a problem in one pass, or a caller with
// very many options gives the arrays and the frame of the problem alone: a problem without its groups, whose
// few options that are asked for are computed then.
// Threads: plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
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
  // The problem is a frame, without groups: the option of a group. Its value and use are those above.
  std::function<Option(std::size_t group, std::size_t option)> option_of = nullptr;

  [[nodiscard]] std::size_t groups() const { return first.size() - 1; }
  [[nodiscard]] std::size_t options_of(std::size_t group) const { return first[group + 1] - first[group]; }
  [[nodiscard]] bool framed() const { return option_of != nullptr; }
  [[nodiscard]] Option option(std::size_t group, std::size_t index) const {
    return framed() ? option_of(group, index) : problem->groups[group].options[index];
  }
};

[[nodiscard]] FlatProblem flatten(const ChoiceProblem& problem);
// Of a framed one: whether its arrays fit together and validate() finds nothing in them and in the frame.
[[nodiscard]] bool flat_well_formed(const FlatProblem& flat);

// The problem with all its groups.
[[nodiscard]] ChoiceProblem whole(const FlatProblem& flat);
// As evaluate() of that problem; of a framed one with the first level alone, from the arrays.
[[nodiscard]] Evaluation evaluate(const FlatProblem& flat, std::span<const std::size_t> picks);

// The least and the largest amount per row of `options` > 0 options that stand one after the other.
void extremes_of(const double* use, std::size_t options, std::size_t rows, double* least, double* largest);

}  // namespace saccade::ilp
