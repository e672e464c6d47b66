#include "runtime/sources/picture_files.hpp"

#include <opencv2/imgcodecs.hpp>
#include <utility>

namespace saccade::runtime {

cv::Mat read_picture_file(const std::filesystem::path& file) {
  try {
    return cv::imread(file.string(), cv::IMREAD_COLOR);
  } catch (const cv::Exception&) {  // sizes beyond the library's limits throw
    return {};
  }
}

PictureFiles::PictureFiles(NetworkInputs inputs, std::size_t most_bytes)
    : reduced_(WholeFrame{}, std::move(inputs)), room_(most_bytes) {}

bool PictureFiles::show(const std::filesystem::path& file, Picture& picture) {
  if (const auto known = kept_.find(file); known != kept_.end()) {
    picture = *known->second;
    return true;
  }
  const cv::Mat bgr = read_picture_file(file);
  if (bgr.empty() || !reduced_.write(bgr, frame_)) return false;
  picture = *frame_.picture;
  if (picture.pixels.size() <= room_) {
    room_ -= picture.pixels.size();
    kept_.emplace(file, std::make_shared<const Picture>(picture));
  }
  return true;
}

}  // namespace saccade::runtime
