#pragma once

#include "images/data_set.hpp"

namespace saccade::images {

// Number-plate characters: ten digits and the letters that plates use (without I, O and Q, which
// look like 1 and 0), in several stroke fonts and weights, slanted and in perspective, on plates of
// several colours, between neighbouring characters.
// The value lives as long as the process and never changes.
[[nodiscard]] const DataSet& glyphs();

}  // namespace saccade::images
