// A joint peak, decided by cases. What a selection takes of a peak is the largest amount of its options, one
// of the few amounts that options have. A case caps every peak at such an amount, so that the sum of the caps
// holds the peak capacity; under its caps the problem has no peak any more. Every selection that holds the
// capacity obeys the caps of some case that is maximal (no single cap could be higher), so the best of the
// maximal cases' optima is the optimum.
// With p peaks of at most k amounts there are at most k^(p-1) maximal cases; a handful of processors with a
// handful of variants have a handful of them.
// Threads: pure. Errors: the problem must be valid (FlatProblem::well_formed).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "ilp/choice_problem.hpp"
#include "ilp/screening.hpp"

namespace saccade::ilp {

using PeakCaps = std::vector<double>;  // one per peak

inline constexpr std::size_t kMostPeakCases = 64;

// All maximal cases of the open options, in lexicographic order; none where not even the least amounts hold
// the capacity together. Absent: there are more than kMostPeakCases, or it takes too long to tell.
[[nodiscard]] std::optional<std::vector<PeakCaps>> peak_cases(const ChoiceProblem& problem,
                                                              const OpenOptions& open);

// The problem under the caps: without peaks, and with the open options that obey them.
struct PeakCase {
  ChoiceProblem problem;
  std::vector<std::vector<std::size_t>> source;  // per group: its options' places in the whole problem

  [[nodiscard]] Picks picks_of(std::span<const std::size_t> of_case) const;
  [[nodiscard]] std::optional<Picks> case_of(std::span<const std::size_t> picks) const;  // absent: not in it
};
[[nodiscard]] PeakCase peak_case(const ChoiceProblem& problem, const OpenOptions& open, const PeakCaps& caps);

}  // namespace saccade::ilp
