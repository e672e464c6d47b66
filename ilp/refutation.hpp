// A quick proof that a large problem has no selection: prices at which even the cheapest option of every
// group together costs more than all capacities are worth (Farkas' lemma). Then not even fractions of options
// hold the rows. The prices are climbed to, first on a sample of the groups, then on all of them; a few
// passes over the options, the values unread. Finding none says nothing: the LP relaxation decides then.
// Threads: pure but for the callback.
#pragma once

#include <functional>
#include <vector>

#include "ilp/flat_problem.hpp"

namespace saccade::ilp {

// Per row of the problem, >= 0; empty when none were found or the stop came first. `screening` is that of
// the problem, with something open in every group.
[[nodiscard]] std::vector<double> find_refutation(const FlatProblem& flat, const FlatScreening& screening,
                                                  const std::function<bool()>& stop);

}  // namespace saccade::ilp
