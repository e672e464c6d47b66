#pragma once

#include "images/data_set.hpp"

namespace saccade::images {

// What a camera above a conveyor sees: a printed cover plate with four holes, whole or with one
// defect, on a worn belt under a glossy light; or no plate, or two.
// The value lives as long as the process and never changes.
[[nodiscard]] const DataSet& defects();

}  // namespace saccade::images
