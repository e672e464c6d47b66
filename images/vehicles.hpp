#pragma once

#include "images/data_set.hpp"

namespace saccade::images {

// Road vehicles seen from the side in twelve classes, in varying proportions, colours and poses,
// with a little depth, on a street or a plain background. The value lives as long as the process
// and never changes.
[[nodiscard]] const DataSet& vehicles();

}  // namespace saccade::images
