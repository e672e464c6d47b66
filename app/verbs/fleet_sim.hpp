// `saccade fleet sim`: a whole fleet in virtual time, with faults (fleet_simulation/simulation.hpp).
// Threads: none.
#pragma once

#include "app/verbs/verbs.hpp"

namespace saccade::app {

int verb_fleet_sim(const VerbArguments& args, std::ostream& out, std::ostream& err);

}  // namespace saccade::app
