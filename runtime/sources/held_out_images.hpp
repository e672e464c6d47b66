// The images that accuracy is measured on: the procedural data set with the network's labels, its
// held-out split, which no training and no calibration saw.
// Threads: one. Errors: no data set has these labels.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "profiles/profile_set.hpp"

namespace saccade::runtime {

struct LabelledImages {
  std::size_t count = 0;
  // Writes image `index` as an engine takes it (input.size() floats) and returns its label.
  std::function<int(std::size_t index, float* planes)> write;
};

// The shape in which the images are drawn, and so the input of a network trained on them.
[[nodiscard]] profiles::InputShape drawn_shape();

// Draws all of them first, so that writing is cheap (12 kB are kept per image).
[[nodiscard]] Result<LabelledImages> held_out_images(const std::vector<std::string>& labels,
                                                     const profiles::InputShape& input, std::size_t count);

}  // namespace saccade::runtime
