// Which rows conflict if a problem is infeasible although each row alone is feasible: a set of rows such that
// the problem with these rows and no others is infeasible. A deletion filter (Chinneck & Dravnieks 1991)
// drops rows while the infeasibility can still be proven by plain arithmetic: options that exceed one of the
// rows whatever the other groups select are excluded, and the rest must satisfy a Farkas certificate. Since
// the test is only sufficient, the set need not be irreducible.
// Threads: pure.
#pragma once

#include <cstddef>
#include <vector>

#include "ilp/flat_problem.hpp"
#include "ilp/screening.hpp"

namespace saccade::ilp {

// Ascending. `prices`: of a Farkas certificate, per row; empty = some group has no open option. The problem
// is proven infeasible, and none of its rows is infeasible alone. Empty if the proof needs the peak capacity.
[[nodiscard]] std::vector<std::size_t> find_conflict(const FlatProblem& flat, const Screening& screening,
                                                     std::vector<double> prices);

}  // namespace saccade::ilp
