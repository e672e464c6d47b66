// Dynamic programming over the core for tables with one row (after Pisinger's minimal algorithm for
// the multiple-choice knapsack). A state is a use and a value relative to the base of the relaxation; of
// two states the one that uses no more and is worth no less stays. Groups join in order of their least
// loss; a state is dropped when even filling (or regaining) its spare at the best rate of the groups
// still outside cannot lift it above what is wanted. What a branch and bound cannot tell apart,
// coarse and correlated data, falls on the same states here.
// Threads: pure but for the callbacks.
#pragma once

#include <cstdint>
#include <functional>

#include "ilp/choice_result.hpp"
#include "ilp/incumbent.hpp"
#include "ilp/relaxation.hpp"
#include "ilp/table.hpp"

namespace saccade::ilp {

struct ListOutcome {
  Limit limit = Limit::none;  // none: nothing above what is wanted is left
  std::int64_t states = 0;    // made in all
};

// `table` has one row. `wanted`, `accept`: as for branch().
[[nodiscard]] ListOutcome search_list(const Table& table, const Relaxation& relaxation, const Selection& base,
                                      double wanted, const std::function<double(const Selection&)>& accept,
                                      const std::function<bool()>& stop, std::int64_t max_states);

}  // namespace saccade::ilp
