// Converts a network's logits to scores. Internal to vision/decode. Threads: any.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

#include "vision/decode/score_scan.hpp"

namespace saccade::vision {

[[nodiscard]] inline float sigmoid_of(float logit) { return 1.0F / (1.0F + std::exp(-logit)); }

// For one of the logits, which are finite; no overflow, however large they are.
[[nodiscard]] inline float softmax_of(std::span<const float> logits, std::size_t index) {
  const float largest = logits[index_of_largest(logits.data(), logits.size(), 1)];
  float sum = 0.0F;
  for (const float logit : logits) sum += std::exp(logit - largest);
  return std::exp(logits[index] - largest) / sum;
}

}  // namespace saccade::vision
