// The boxes of a drawn scene as truths of a frame. Threads: functions without state.
#pragma once

#include <vector>

#include "images/yard.hpp"
#include "vision/accuracy/matching.hpp"

namespace saccade::runtime {

// In pixels of the scene; labels are the data set's.
[[nodiscard]] inline vision::Truths truths_of(const std::vector<images::LabelledBox>& boxes) {
  vision::Truths truths;
  for (const images::LabelledBox& box : boxes) {
    const vision::Box place{static_cast<float>(box.left), static_cast<float>(box.top),
                            static_cast<float>(box.width), static_cast<float>(box.height)};
    truths.push_back({place, box.label, false, std::nullopt});
  }
  return truths;
}

}  // namespace saccade::runtime
