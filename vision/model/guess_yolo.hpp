// YOLO-like outputs, one tensor of candidates: which layout it has, by the number of cells for the strides
// and the number of labels. Part of guess_output.cpp.
// Threads: pure. Errors: none.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "vision/model/guess_facts.hpp"

namespace saccade::vision {

using KnownDimensions = std::vector<std::optional<std::int64_t>>;  // absent: open

// An output's shape without its leading batch, which is 1 or open; absent: it has a larger batch or an
// unknown rank. Shapes of rank 2 and less are unchanged.
[[nodiscard]] std::optional<KnownDimensions> without_batch(const OnnxPort& port);

// Whether it is the number of cells of 8, 16 and 32 pixels in the input.
[[nodiscard]] bool is_cell_count(const ModelFacts& facts, std::optional<std::int64_t> count);

// False: the outputs are not of this family.
[[nodiscard]] bool guess_yolo(const ModelFacts& facts, Draft& draft);

}  // namespace saccade::vision
