#include "runtime/sources/video_pictures.hpp"

#include <algorithm>
#include <opencv2/videoio.hpp>
#include <utility>

#include "runtime/sources/capture.hpp"
#include "runtime/sources/frame_picture.hpp"

namespace saccade::runtime {
namespace {

// How many frames the file really has: what its header says may be wrong, or missing.
std::size_t frame_count(cv::VideoCapture& capture) {
  std::size_t count = 0;
  while (grab(capture)) ++count;
  return count;
}

}  // namespace

Result<std::vector<PicturePtr>> video_pictures(const std::filesystem::path& file, const NetworkInputs& inputs,
                                               const VideoLimits& limits) {
  const Error unreadable{file.string(), "cannot be read as a video",
                         "give a video file, or a folder of pictures"};
  cv::VideoCapture capture;
  if (!open_capture(capture, file.string())) return unreadable;
  const std::size_t frames = frame_count(capture);
  capture.release();
  if (frames == 0 || !open_capture(capture, file.string())) return unreadable;

  FramePicture reduced(WholeFrame{}, inputs);
  std::vector<PicturePtr> pictures;
  std::size_t wanted = 1;  // known once the first picture's size is
  cv::Mat bgr;
  for (std::size_t frame = 0; frame < frames && grab(capture); ++frame) {
    // Picture k is taken from the frame at the beginning of the k-th of `wanted` equal parts.
    const std::size_t due = pictures.size() * frames / wanted;
    if (pictures.size() == wanted || frame < due) continue;
    Frame taken;
    if (!retrieve(capture, bgr) || !reduced.write(bgr, taken)) continue;
    if (pictures.empty()) {
      const std::size_t room = limits.bytes / std::max<std::size_t>(taken.picture->pixels.size(), 1);
      wanted = std::clamp<std::size_t>(std::min(limits.pictures, room), 1, frames);
    }
    pictures.push_back(std::move(taken.picture));
  }
  if (pictures.empty()) return unreadable;
  return pictures;
}

}  // namespace saccade::runtime
