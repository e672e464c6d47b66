// The images on which the accuracy of the zoo's networks is measured: the held-out split, used in neither
// training nor calibration, of the procedural data set with the network's labels. Detectors get scenes.
// Threads: one. Errors: no data set has these labels.
#pragma once

#include <cstddef>

#include "base/result.hpp"
#include "profiles/profile_set.hpp"
#include "runtime/sources/labelled_images.hpp"

namespace saccade::runtime {

// The shape of the drawn images, and so the input of a classifier trained on them.
[[nodiscard]] profiles::InputShape drawn_shape();

// Number of images behind the published accuracies.
[[nodiscard]] std::size_t held_out_count(const profiles::ProfileSet& set);

// Draws all of them in advance, so that showing them is cheap (12 kB are kept per image, up to 150 kB per
// scene).
[[nodiscard]] Result<LabelledImages> held_out_images(const profiles::ProfileSet& set, std::size_t count);

}  // namespace saccade::runtime
