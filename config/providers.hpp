// Execution providers of a configuration: what this machine lacks for them, and profile sets that were
// measured with others. A file that names a provider is right whatever the machine is; running it is another
// matter. Threads: missing_providers() and other_cards_here() open libraries; the rest is pure. Errors:
// values.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "config/profile_machine.hpp"
#include "runtime/run/run_config.hpp"

namespace saccade::config {

// What keeps the processors from serving here; empty: nothing. The simulated back end needs nothing.
[[nodiscard]] Errors missing_providers(const runtime::RunConfig& config);
// True when a processor uses an accelerator's provider.
[[nodiscard]] bool uses_accelerator(const runtime::RunConfig& config);
// True when a processor uses a card that the adapter was never run on, or one of an unknown name; `cards`:
// the names of this machine's, by number.
[[nodiscard]] bool uses_untried_card(const runtime::RunConfig& config, const std::vector<std::string>& cards);

// Sets whose times are of another provider, or of other options of it, than the processor they are planned
// for uses: their times do not hold there. Processors of both lists in the same order.
[[nodiscard]] Errors measured_otherwise(const std::vector<ProfileFile>& sets,
                                        const std::vector<runtime::ProcessorConfig>& processors,
                                        const std::vector<scheduler::Processor>& planned);

// Sets that were measured on another card than the one that their processor uses: `cards` are the names of
// this machine's, by number; "" is of an unknown name and fits every set.
[[nodiscard]] Errors measured_on_other_cards(const std::vector<ProfileFile>& sets,
                                             const std::vector<runtime::ProcessorConfig>& processors,
                                             const std::vector<scheduler::Processor>& planned,
                                             const std::vector<std::string>& cards);
// The same of this machine, with the processors of the first state.
[[nodiscard]] Errors other_cards_here(const std::vector<ProfileFile>& sets, const runtime::RunConfig& config);

}  // namespace saccade::config
