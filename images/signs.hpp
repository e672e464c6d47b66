#pragma once

#include "images/data_set.hpp"

namespace saccade::images {

// Road signs of the European kind: warnings, bans, orders and directions on their plates, weathered,
// turned and tilted on a post before sky, trees, buildings and other signs.
// The value lives as long as the process and never changes.
[[nodiscard]] const DataSet& signs();

}  // namespace saccade::images
