// Small instances as the steps of the reduction see them.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "bench/solver/families.hpp"
#include "ilp/core/table.hpp"
#include "ilp/flat_problem.hpp"

namespace saccade::ilp {

inline constexpr double kInfinite = std::numeric_limits<double>::infinity();
inline constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

inline OpenOptions all_open(const ChoiceProblem& problem) {
  OpenOptions open;
  for (const Group& group : problem.groups) {
    open.emplace_back(group.options.size());
    std::iota(open.back().begin(), open.back().end(), 0U);
  }
  return open;
}

// A problem with its table; the table refers to nothing of the problem.
struct Tabled {
  ChoiceProblem problem;
  Table table;
  explicit Tabled(ChoiceProblem p) : problem(std::move(p)) {
    const FlatProblem flat = flatten(problem);
    EXPECT_TRUE(flat.well_formed);
    table = make_table(flat, all_open(problem));
  }
};

// Instances of every family, small enough for the oracle.
template <class Visit>
void each_small_instance(std::size_t rows, Visit visit) {
  for (const auto& [family, name] : bench::kFamilies) {
    if (family == bench::Family::elastic) continue;
    for (std::uint64_t seed = 1; seed <= 25; ++seed) {
      SCOPED_TRACE(std::string(name) + " seed " + std::to_string(seed));
      visit(bench::make_instance(family, 1 + seed % 4, 6, rows, seed % 2 == 0 ? 0.5 : 0.2, seed));
    }
  }
}

}  // namespace saccade::ilp
