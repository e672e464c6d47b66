#include "runtime/sources/images_source.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <opencv2/imgcodecs.hpp>
#include <system_error>

#include "runtime/sources/frame_tensor.hpp"

namespace saccade::runtime {
namespace {

bool is_picture(const std::filesystem::path& file) {
  static constexpr std::array<std::string_view, 4> kExtensions{".jpg", ".jpeg", ".png", ".bmp"};
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::find(kExtensions.begin(), kExtensions.end(), extension) != kExtensions.end();
}

// An empty picture when the file cannot be read as one.
cv::Mat read_picture(const std::filesystem::path& file) {
  try {
    return cv::imread(file.string(), cv::IMREAD_COLOR);
  } catch (const cv::Exception&) {  // sizes beyond the library's limits throw
    return {};
  }
}

class FolderFrames final : public FrameSource {
 public:
  FolderFrames(std::vector<std::filesystem::path> files, bool loop, FrameTensor tensor)
      : files_(std::move(files)), loop_(loop), tensor_(std::move(tensor)) {}

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
    const cv::Mat picture = read_picture(file);
    if (picture.empty()) {
      fault_ = "cannot read the picture " + file.string();
      return false;
    }
    if (!tensor_.write(picture, frame.input)) {
      fault_ = "the regions do not fit the picture " + file.string();
      return false;
    }
    frame.labels.clear();
    fault_.reset();
    return true;
  }

  std::optional<std::string> fault() const override { return fault_; }

 private:
  std::vector<std::filesystem::path> files_;
  bool loop_;
  FrameTensor tensor_;
  std::size_t position_ = 0;
  std::optional<std::string> fault_;
};

}  // namespace

Result<std::unique_ptr<FrameSource>> open_images(const ImagesSource& source, const Regions& regions,
                                                 const profiles::InputShape& input) {
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

  FrameTensor tensor(regions, input);
  for (const auto& file : files) {
    const cv::Mat picture = read_picture(file);
    if (picture.empty()) continue;
    if (auto fits = tensor.fit(picture.cols, picture.rows); !fits.ok()) return fits.errors();
    return std::unique_ptr<FrameSource>(
        std::make_unique<FolderFrames>(std::move(files), source.loop, std::move(tensor)));
  }
  return Error{where, "none of the folder's " + std::to_string(files.size()) + " pictures can be read",
               "check that they are whole"};
}

}  // namespace saccade::runtime
