// What GET /livez says: "ok", and of a box in a fleet how long ago the store answered it, by which a planner
// tells a box whose lease was revoked early from one that is cut off. Older boxes say "ok" alone. Threads:
// pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"

namespace saccade::service {

// `store_age`: seconds; absent: it is in no fleet, or the store has never answered.
[[nodiscard]] std::string livez_text(std::optional<double> store_age);
// Absent: the text does not say.
[[nodiscard]] std::optional<Duration> store_age_in(std::string_view livez);

}  // namespace saccade::service
