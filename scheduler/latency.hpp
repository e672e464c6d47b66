// The latency of a frame in a variant, which `max_latency` of a task limits: from the beginning of its first
// stage to the end of its last. What a frame waits before that, and what jobs of other tasks on the same
// processors add, is not in it. With t_p the corrected time per frame on processor p (VariantCost::time) and
// t0_p the profiled one, of a variant at f frames/s:
//   whole network         sum_p t_p: nothing waits between its processors
//   stages, f <= 0.8 F    L0 * sum_p t_p / sum_p t0_p, where L0 is the profiled latency of a frame alone
//   stages, f >  0.8 F    n / F, but at least the latency of a frame alone, where n is the profile's
//                         max_in_flight
//   F = max_fps * max_p t0_p / max_p t_p, the rate of a pipeline that is kept full
// L0 is paper 000 (5) and (9), the sum of the stages' times. n / F is Little's law: what a full pipeline may
// take at most. The paper has one figure for both. Up to 80 % of the maximum, frames hardly wait in a
// pipeline (tests/runtime/simulation/pipelines_test.cpp); beyond, the bound is what can be promised.
// The rate is the demanded one, also where less is granted: the latency grows with the rate, so that a limit
// that is met at the demand is met at every rate below it, and which variants are allowed does not depend on
// the plan.
// Units: seconds, frames/s. Threads: pure. Errors: none; the snapshot must be valid (validate()).
#pragma once

#include <optional>

#include "scheduler/snapshot.hpp"

namespace saccade::scheduler {

// `total` and `longest`: the sum and the largest of the frame's corrected times on the variant's processors.
[[nodiscard]] Seconds frame_latency(const profiles::Variant& variant, Seconds total, Seconds longest,
                                    Fps rate);
[[nodiscard]] Seconds longest_time(const VariantCost& cost);

// The least possible latency: of the variants that pass all other limits of the task. Absent unless it is
// above the task's max_latency, so that this limit alone leaves no variant.
[[nodiscard]] std::optional<Seconds> unmet_latency(const Snapshot& snapshot, const Task& task);

}  // namespace saccade::scheduler
