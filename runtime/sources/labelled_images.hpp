// Pictures whose truth is known, as a source would show them to a network: what accuracy is measured on.
// Threads: one. Errors: a picture that cannot be shown.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "runtime/pictures/picture.hpp"
#include "vision/accuracy/matching.hpp"

namespace saccade::runtime {

// What a picture shows.
struct PictureTruth {
  int label = -1;          // of the whole picture, for classifiers
  vision::Truths objects;  // for detectors; in pixels of the frame
  bool operator==(const PictureTruth&) const = default;
};

struct LabelledImages {
  std::size_t count = 0;
  // Shows picture `index`; what it shows is the result.
  std::function<Result<PictureTruth>(std::size_t index, Picture& picture)> show;
  std::string name = {};      // for provenance.accuracy_data; empty: provenance says nothing of accuracy
  std::string identity = {};  // differs where the pictures or their truth do
};

}  // namespace saccade::runtime
