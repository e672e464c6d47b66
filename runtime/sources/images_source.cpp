#include "runtime/sources/images_source.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <system_error>

#include "runtime/sources/frame_picture.hpp"
#include "runtime/sources/picture_files.hpp"

namespace saccade::runtime {
namespace {

bool is_picture(const std::filesystem::path& file) {
  static constexpr std::array<std::string_view, 4> kExtensions{".jpg", ".jpeg", ".png", ".bmp"};
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::find(kExtensions.begin(), kExtensions.end(), extension) != kExtensions.end();
}

class FolderFrames final : public FrameSource {
 public:
  // `first`: its first picture.
  FolderFrames(std::vector<std::filesystem::path> files, bool loop, FramePicture pictures,
               const cv::Mat& first)
      : files_(std::move(files)),
        loop_(loop),
        pictures_(std::move(pictures)),
        frame_bytes_(pictures_.bytes(first.cols, first.rows)) {}

  bool next(Duration /*at*/, Frame& frame) override {
    if (position_ == files_.size()) {
      if (!loop_) {
        fault_ = "the folder has no more pictures";
        return false;
      }
      position_ = 0;
    }
    // One file per tick, readable or not: the work of a tick stays bounded.
    const std::filesystem::path& file = files_[position_++];
    const cv::Mat picture = read_picture_file(file);
    if (picture.empty()) {
      fault_ = "cannot read the picture " + file.string();
      return false;
    }
    if (!pictures_.write(picture, frame)) {
      fault_ = "the regions do not fit the picture " + file.string();
      return false;
    }
    frame.labels.clear();
    frame.truths_known = false;
    frame.captured_at = captured_now();
    fault_.reset();
    return true;
  }

  std::optional<std::string> fault() const override { return fault_; }
  std::size_t frame_bytes() const override { return frame_bytes_; }

 private:
  std::vector<std::filesystem::path> files_;
  bool loop_;
  FramePicture pictures_;
  std::size_t frame_bytes_;
  std::size_t position_ = 0;
  std::optional<std::string> fault_;
};

}  // namespace

Result<std::unique_ptr<FrameSource>> open_images(const ImagesSource& source, const Regions& regions,
                                                 const NetworkInputs& inputs) {
  const std::string where = source.directory.string();
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (std::filesystem::directory_iterator entry(source.directory, error), end; !error && entry != end;
       entry.increment(error)) {
    if (is_picture(entry->path())) files.push_back(entry->path());
  }
  if (error)
    return Error{where, "cannot read the folder: " + error.message(), "check the path and its rights"};
  if (files.empty()) {
    return Error{where, "the folder holds no picture", "put .jpg, .png or .bmp files there"};
  }
  std::sort(files.begin(), files.end());

  FramePicture pictures(regions, inputs);
  for (const auto& file : files) {
    const cv::Mat picture = read_picture_file(file);
    if (picture.empty()) continue;
    if (auto fits = pictures.fit(picture.cols, picture.rows); !fits.ok()) return fits.errors();
    return std::unique_ptr<FrameSource>(
        std::make_unique<FolderFrames>(std::move(files), source.loop, std::move(pictures), picture));
  }
  return Error{where, "none of the folder's " + std::to_string(files.size()) + " pictures can be read",
               "check that they are whole"};
}

}  // namespace saccade::runtime
