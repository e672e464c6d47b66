// Execution providers of a configuration: what this machine lacks for them, and profile sets that were
// measured with others. A file that names a provider is right whatever the machine is; running it is another
// matter. Threads: missing_providers() opens libraries; the rest is pure. Errors: values.
#pragma once

#include <vector>

#include "base/result.hpp"
#include "config/profile_machine.hpp"
#include "runtime/run/run_config.hpp"

namespace saccade::config {

// What keeps the processors from serving here; empty: nothing. The simulated back end needs nothing.
[[nodiscard]] Errors missing_providers(const runtime::RunConfig& config);
// True when a processor uses an accelerator's provider.
[[nodiscard]] bool uses_accelerator(const runtime::RunConfig& config);

// Sets whose times are of another provider, or of other options of it, than the processor they are planned
// for uses: their times do not hold there. Processors of both lists in the same order.
[[nodiscard]] Errors measured_otherwise(const std::vector<ProfileFile>& sets,
                                        const std::vector<runtime::ProcessorConfig>& processors,
                                        const std::vector<scheduler::Processor>& planned);

}  // namespace saccade::config
