// A thriftier placement within a latency, by moving single layers and pairs of layers to other processors as
// long as that saves energy: what the latency of a placement leaves over is used up by two moves of which one
// costs time and the other gives some back. Not exact: the better the start of E3 (exact.hpp), the more of
// its search is hopeless.
// Threads: pure. Errors: none; a placement that does not meet the latency is returned as it is.
#pragma once

#include "placement/costs.hpp"
#include "placement/evaluate.hpp"

namespace saccade::placement {

enum class StageCount { may_grow, must_not_grow };

// Wants energies (Costs::has_energy()) and a legal placement without copies.
[[nodiscard]] Placement thriftier(const Costs& costs, const Placement& placement, Seconds latency,
                                  StageCount stages);

}  // namespace saccade::placement
