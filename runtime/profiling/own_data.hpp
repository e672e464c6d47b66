// The user's own pictures, to measure accuracy on: labelled data (vision/accuracy/labelled_data.hpp), or
// pictures or a video without labels for a teacher. All pictures are decoded once before anything is
// measured, so that a broken one is found then. Threads: the calling one. Errors: everything wrong with the
// data at once; the first 20 pictures that are wrong, and how many more; data that does not suit the network.
#pragma once

#include <filesystem>

#include "base/result.hpp"
#include "profiles/profile_set.hpp"
#include "runtime/sources/labelled_images.hpp"

namespace saccade::runtime {

struct OwnData {
  std::filesystem::path path;    // file or folder
  std::filesystem::path images;  // where the pictures of COCO JSON or CSV lie; empty: the file's folder
};

[[nodiscard]] Result<LabelledImages> labelled_images(const profiles::ProfileSet& set, const OwnData& data);
// All pictures below a folder, in the order of their names, or those of a video file, at most 1,000, spread
// evenly over it; their truth is empty.
[[nodiscard]] Result<LabelledImages> unlabelled_images(const profiles::ProfileSet& set,
                                                       const std::filesystem::path& data);

}  // namespace saccade::runtime
