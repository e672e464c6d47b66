// Breaks ties of a proven optimum: certify() on the problem restricted to the options that can still be part
// of an equal selection, by reduced cost.
// Threads: pure but for the stop predicate.
#pragma once

#include <vector>

#include "ilp/certification.hpp"
#include "ilp/core/incumbent.hpp"
#include "ilp/core/lp_relaxation.hpp"
#include "ilp/core/table.hpp"
#include "ilp/flat_problem.hpp"
#include "ilp/work_meter.hpp"

namespace saccade::ilp {

// `incumbent`: optimal in level 0. `prices`: duals per row of the problem. The result has picks, of the
// problem; of a framed one no other options are computed.
[[nodiscard]] Certified break_ties(const FlatProblem& flat, const Table& table,
                                   const LpRelaxation& relaxation, const std::vector<double>& prices,
                                   const Incumbent& incumbent, const WorkLimit& limit);

}  // namespace saccade::ilp
