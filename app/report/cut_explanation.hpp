// Why the cuts of staged variants lie where they do: which processor and which transfer bind, and what the
// neighbouring cuts would cost. Threads: functions without state.
#pragma once

#include <string>
#include <vector>

#include "app/report/explanation.hpp"
#include "profiles/variant.hpp"

namespace saccade::app {

// One sentence of the variant's bottleneck and one of each cut; nothing of a variant without stages.
[[nodiscard]] std::vector<std::string> cut_reasons(const profiles::Variant& variant);

// Of the tasks that the plan runs with staged variants; each once.
[[nodiscard]] std::vector<Sentence> explain_cuts(const scheduler::Snapshot& snapshot,
                                                 const scheduler::Plan& plan);

}  // namespace saccade::app
