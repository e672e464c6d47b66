// Changes requested through the API, and their previews, applied to the configuration of a running service.
// Threads: functions without state; ServiceConfig locks. Errors: outcomes are values.
#pragma once

#include <string>

#include "runtime/run/run_hooks.hpp"
#include "service/api/service_model.hpp"
#include "service/live/service_config.hpp"

namespace saccade::service {

[[nodiscard]] ChangeOutcome carry_out(const Change& change, ServiceConfig& config);

// `run` is the outline of the run, `policy` its planner, `holding` the active rules.
[[nodiscard]] DryRun dry_run(const std::string& patch, const ServiceConfig& config,
                             const runtime::RunOutline& run, scheduler::PolicyKind policy,
                             const std::vector<rules::Holding>& holding);

// Errors for clients: those at a place of the document are unchanged; those about a file that the document
// names are reported for the document as a whole, without the folders of this machine.
[[nodiscard]] Errors without_folders(const Errors& errors);

}  // namespace saccade::service
