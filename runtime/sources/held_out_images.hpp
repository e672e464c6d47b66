// The images that the accuracy of the zoo's networks is measured on: of the procedural data set with the
// network's labels the held-out split, which no training and no calibration saw. Detectors get scenes.
// Threads: one. Errors: no data set has these labels.
#pragma once

#include <cstddef>

#include "base/result.hpp"
#include "profiles/profile_set.hpp"
#include "runtime/sources/labelled_images.hpp"

namespace saccade::runtime {

// The shape in which the images are drawn, and so the input of a classifier trained on them.
[[nodiscard]] profiles::InputShape drawn_shape();

// As many as the published accuracies are of.
[[nodiscard]] std::size_t held_out_count(const profiles::ProfileSet& set);

// Draws all of them first, so that showing them is cheap (12 kB are kept per image, up to 150 kB per scene).
[[nodiscard]] Result<LabelledImages> held_out_images(const profiles::ProfileSet& set, std::size_t count);

}  // namespace saccade::runtime
