// What a detector found in a frame. Boxes are in pixels of the source's frame, corners from 0, and may have
// fractions; label is an index into the profile set's labels.
// Threads: plain values.
#pragma once

#include <vector>

namespace saccade::vision {

struct Box {
  float x = 0.0F;  // left
  float y = 0.0F;  // top
  float width = 0.0F;
  float height = 0.0F;
  bool operator==(const Box&) const = default;
};

struct Object {
  Box box;
  int label = 0;
  float score = 0.0F;  // in [0, 1]
  int region = 0;      // index of the region it was found in; 0 where a task has none
  bool operator==(const Object&) const = default;
};

using Objects = std::vector<Object>;  // best score first

}  // namespace saccade::vision
