// Which rows conflict when a problem is infeasible though each of its rows holds alone. Rows are a conflict
// when the problem with these rows and no others holds no selection; that is proven here by plain
// arithmetic: an option that passes one of the rows whatever the others use is out, and what is left
// costs more at the prices than the capacities are worth. It need not be the smallest conflict there is.
// Threads: pure.
#pragma once

#include <cstddef>
#include <vector>

#include "ilp/flat_problem.hpp"

namespace saccade::ilp {

// Ascending. `prices`: per row, at which the least use costs more than the capacities are worth; empty = some
// group has no option left. The problem is proven infeasible, and no row of it fails alone. Empty when it
// takes the peak capacity to prove it.
[[nodiscard]] std::vector<std::size_t> find_conflict(const FlatProblem& flat, std::vector<double> prices);

}  // namespace saccade::ilp
