// The user's own pictures, for measuring accuracy: labelled data (vision/accuracy/labelled_data.hpp), or
// pictures or a video without labels for a teacher. All pictures are decoded once before anything is
// measured, so that a broken one is found then. Threads: the calling one. Errors: everything wrong with the
// data at once: the first 20 broken pictures and the number of further ones; data that does not suit the
// network.
#pragma once

#include <filesystem>

#include "base/result.hpp"
#include "profiles/profile_set.hpp"
#include "runtime/sources/labelled_images.hpp"

namespace saccade::runtime {

struct OwnData {
  std::filesystem::path path;    // file or folder
  std::filesystem::path images;  // folder of the pictures of COCO JSON or CSV; empty: the file's folder
};

[[nodiscard]] Result<LabelledImages> labelled_images(const profiles::ProfileSet& set, const OwnData& data);
// All pictures below a folder, in the order of their names, or those of a video file, at most 1,000, evenly
// spaced; without truth.
[[nodiscard]] Result<LabelledImages> unlabelled_images(const profiles::ProfileSet& set,
                                                       const std::filesystem::path& data);

}  // namespace saccade::runtime
