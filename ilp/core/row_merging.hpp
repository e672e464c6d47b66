// Interchangeable rows (ChoiceProblem::equal_rows) merged into one whose capacity is their sum. With scales
// s_k and any selection x, used_k(x) <= c_k for all k implies sum_k used_k(x) / s_k <= sum_k c_k / s_k, so
// the merged problem is a relaxation: its bound is one of the problem. Options that differ only in which of
// the rows they use become one, with the best level 0 among them. What is lost is the packing (packing.hpp).
// Threads: pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ilp/choice_problem.hpp"
#include "ilp/screening.hpp"

namespace saccade::ilp {

struct MergedRows {
  ChoiceProblem problem;                                       // one level
  std::vector<std::vector<std::vector<std::uint32_t>>> stand;  // per group and option, those it stands for
  // Per row of the merged problem: the class it merges, or kOwn for a row that stands alone, which `row`
  // names.
  struct Source {
    std::size_t row_class = 0;
    std::size_t row = 0;
  };
  static constexpr std::size_t kOwn = ~std::size_t{0};
  std::vector<Source> source;

  // Prices of the merged rows as prices of the problem's.
  [[nodiscard]] std::vector<double> prices_of(const ChoiceProblem& whole,
                                              const std::vector<double>& merged) const;
};

// Of the open options. Absent where there are peaks, or an option that uses two equal rows.
[[nodiscard]] std::optional<MergedRows> merge_rows(const ChoiceProblem& problem, const OpenOptions& open);

}  // namespace saccade::ilp
