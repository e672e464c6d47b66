// The verbs of `saccade fleet` for a fleet in operation: the planner itself, and what its API shows and
// takes.
#pragma once

#include <ostream>

#include "app/verbs/verbs.hpp"

namespace saccade::app {

[[nodiscard]] int verb_fleet_run(const VerbArguments& args, std::ostream& out, std::ostream& err);
[[nodiscard]] int verb_fleet_status(const VerbArguments& args, std::ostream& out, std::ostream& err);
[[nodiscard]] int verb_fleet_boxes(const VerbArguments& args, std::ostream& out, std::ostream& err);
[[nodiscard]] int verb_fleet_cameras(const VerbArguments& args, std::ostream& out, std::ostream& err);
[[nodiscard]] int verb_fleet_apply(const VerbArguments& args, std::ostream& out, std::ostream& err);
[[nodiscard]] int verb_fleet_cordon(const VerbArguments& args, std::ostream& out, std::ostream& err);
[[nodiscard]] int verb_fleet_uncordon(const VerbArguments& args, std::ostream& out, std::ostream& err);
[[nodiscard]] int verb_fleet_drain(const VerbArguments& args, std::ostream& out, std::ostream& err);
[[nodiscard]] int verb_fleet_retire(const VerbArguments& args, std::ostream& out, std::ostream& err);
[[nodiscard]] int verb_fleet_move(const VerbArguments& args, std::ostream& out, std::ostream& err);
[[nodiscard]] int verb_fleet_unpin(const VerbArguments& args, std::ostream& out, std::ostream& err);
[[nodiscard]] int verb_fleet_release(const VerbArguments& args, std::ostream& out, std::ostream& err);

}  // namespace saccade::app
