#pragma once

#include "images/data_set.hpp"

namespace saccade::images {

// Occupancy of one parking bay, seen from a mast: which vehicle is in the middle bay, or whether it is free,
// blocked, or reserved, between neighbours, under shadows, on patched ground. The value lives as long as the
// process and never changes.
[[nodiscard]] const DataSet& parking();

}  // namespace saccade::images
