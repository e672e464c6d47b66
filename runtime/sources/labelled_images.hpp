// Pictures with known truth, as a source would show them to a network, for measuring accuracy. Threads: one.
// Errors: a picture that cannot be shown.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "runtime/pictures/picture.hpp"
#include "vision/accuracy/matching.hpp"

namespace saccade::runtime {

// The truth of a picture.
struct PictureTruth {
  int label = -1;          // of the whole picture, for classifiers
  vision::Truths objects;  // for detectors; in pixels of the frame
  bool operator==(const PictureTruth&) const = default;
};

struct LabelledImages {
  std::size_t count = 0;
  // Shows picture `index` and returns its truth.
  std::function<Result<PictureTruth>(std::size_t index, Picture& picture)> show;
  std::string name = {};      // for provenance.accuracy_data; empty: provenance omits the accuracy
  std::string identity = {};  // differs if the pictures or their truth do
};

}  // namespace saccade::runtime
