// The snapshot from which a change of a running service would be planned: the same patch, read by the same
// reader, as the change itself (service/live/live_config.hpp), with the running state.
// Threads: function without state; the caller holds the configuration's lock. Errors: those of the change.
#pragma once

#include <string_view>

#include "rules/overlay.hpp"
#include "runtime/run/run_hooks.hpp"
#include "service/live/live_config.hpp"

namespace saccade::service {

// The state after LiveConfig::patched(patch, at), with the overlay of the active rules: those that the change
// leaves unmodified, and only if the state can be planned with them. Tasks whose source is lost have a demand
// of 0: their share goes to the others until the source is back.
[[nodiscard]] Result<scheduler::Snapshot> preview(const LiveConfig& live, std::string_view patch, Duration at,
                                                  const runtime::RunOutline& run,
                                                  const std::vector<rules::Holding>& holding = {});

}  // namespace saccade::service
