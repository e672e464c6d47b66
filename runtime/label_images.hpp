// The labels an engine gives to labelled images, for its accuracy and for comparing engines.
// Threads: the calling one. Errors: an inference that fails.
#pragma once

#include <vector>

#include "runtime/engine.hpp"
#include "runtime/sources/held_out_images.hpp"

namespace saccade::runtime {

struct GivenLabels {
  std::vector<int> given;  // per image the class with the largest logit, the first of equal ones
  std::vector<int> right;

  [[nodiscard]] double accuracy() const;
};

// Runs in batches of the engine; `input` is its input's shape. At least one image.
[[nodiscard]] Result<GivenLabels> label_images(Engine& engine, const LabelledImages& images,
                                               const profiles::InputShape& input);

// The share of images to which both give the same label. Of the same images.
[[nodiscard]] double agreement(const std::vector<int>& left, const std::vector<int>& right);

}  // namespace saccade::runtime
