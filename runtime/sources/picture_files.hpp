// Picture files as read by frame sources, and those of a data set: decoded, reduced as a source reduces its
// frames, and cached as far as memory allows, so that one network after the other can be shown all of them.
// Threads: one. Errors: a file that cannot be read as a picture.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <opencv2/core/mat.hpp>

#include "runtime/pictures/picture.hpp"
#include "runtime/sources/frame_picture.hpp"

namespace saccade::runtime {

// In colour, with the orientation given in the file; empty if it cannot be read.
[[nodiscard]] cv::Mat read_picture_file(const std::filesystem::path& file);

class PictureFiles {
 public:
  // `most_bytes`: limit of the cached pictures.
  explicit PictureFiles(NetworkInputs inputs, std::size_t most_bytes = std::size_t{512} << 20U);

  // As a source would deliver it. False: it cannot be read.
  [[nodiscard]] bool show(const std::filesystem::path& file, Picture& picture);

 private:
  FramePicture reduced_;
  Frame frame_;
  std::size_t room_;
  std::map<std::filesystem::path, PicturePtr> kept_;
};

}  // namespace saccade::runtime
