#include "runtime/control/event_kind.hpp"

#include <array>
#include <cstddef>

namespace saccade::runtime {

const char* to_string(EventKind kind) {
  constexpr std::array kNames{"plan",        "load",   "warm",  "swap",      "drain",      "park",
                              "unload",      "drop",   "fault", "exclude",   "infeasible", "transition_end",
                              "source_back", "loader", "rule",  "rule_flaps"};
  static_assert(kNames.size() == static_cast<std::size_t>(EventKind::rule_flaps) + 1);
  return kNames.at(static_cast<std::size_t>(kind));
}

}  // namespace saccade::runtime
