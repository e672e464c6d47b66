// Whether a service is ready, for an operator or a load balancer: it is once a plan runs and the first
// engines serve, unless no demand can be served: the sources of all tasks with a demand are lost, the limits
// conflict (no plan is feasible), or a processor is out of service. A degraded plan is ready, and one working
// source is enough. Threads: function without state. Errors: none.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "runtime/run/run_hooks.hpp"
#include "scheduler/plan.hpp"
#include "service/api/service_model.hpp"
#include "service/live/capture_load.hpp"

namespace saccade::service {

// `decided`: of the newest plan, which need not be the one that runs; absent: none yet. `notes`: for the
// operator; they are listed and do not count. `fleet`: likewise. `captures`: a warning above 80 %, which does
// not count either. `above_power`: likewise, of above_power_limit().
[[nodiscard]] Readiness readiness_of(const runtime::RunOutline& run,
                                     const std::optional<scheduler::PlanStatus>& decided, const Errors& notes,
                                     const std::optional<FleetFacts>& fleet = {},
                                     const std::optional<CaptureLoad::Busy>& captures = {},
                                     const std::optional<std::string>& above_power = {});

}  // namespace saccade::service
