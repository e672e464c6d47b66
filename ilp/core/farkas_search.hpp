// A quick search for a Farkas certificate of a large problem: prices at which even the cheapest options of
// all groups cost more than the capacities are worth, so that not even the LP relaxation is feasible. The
// minimum cost is a concave function of the prices; it is maximised by multiplicative weight updates (Arora,
// Hazan & Kale 2012), first on a sample of the groups, then on all of them: a few passes over the options. It
// may fail on an infeasible problem; the LP relaxation decides then.
// Threads: pure but for the callback.
#pragma once

#include <functional>
#include <vector>

#include "ilp/flat_problem.hpp"
#include "ilp/screening.hpp"

namespace saccade::ilp {

// Prices per row of the problem, >= 0; empty if none were found or the search was stopped. `screening`: of
// the problem, not infeasible.
[[nodiscard]] std::vector<double> find_farkas_certificate(const FlatProblem& flat, const Screening& screening,
                                                          const std::function<bool()>& stop);

}  // namespace saccade::ilp
