// The user's own labelled pictures, in common formats: COCO JSON, YOLO folders, a folder per class, CSV.
// Class names are those of the profile set. All errors are reported at once, with file and line (the first
// 20, and the number of further ones): missing pictures, boxes outside their picture, names that the set does
// not contain, ill-formed numbers. Pictures themselves are not opened: if a format contains no sizes, the
// caller's function provides them. Files are treated as untrusted: sizes, counts and depths are limited;
// names that lead out of the data's folder ("..", absolute paths) are refused. Symbolic links to folders are
// not followed, those to files are. Formats by example: docs/accuracy.md.
// Threads: functions without state. Errors: Result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "vision/accuracy/matching.hpp"

namespace saccade::vision {

struct PictureSize {
  int width = 0;  // pixels
  int height = 0;
  bool operator==(const PictureSize&) const = default;
};
using PictureSizeOf =
    std::function<std::optional<PictureSize>(const std::filesystem::path&)>;  // absent: unreadable

struct LabelledPicture {
  std::filesystem::path file;
  std::optional<PictureSize>
      size;  // according to the data: if the loaded picture differs, the boxes are not its own
  std::optional<int> label;  // of the whole picture, in data for classifiers
  Truths truths;             // for detectors; a picture may have none
};

enum class DataFormat : std::uint8_t { coco_json, yolo_folder, class_folder, csv };
[[nodiscard]] std::string_view to_string(DataFormat format);

struct LabelledData {
  DataFormat format = DataFormat::coco_json;
  bool boxes = true;  // true: boxes with labels; false: one label per picture
  std::vector<LabelledPicture> pictures;
  std::string names_from = {};  // of a YOLO folder: the file of the class names; empty: numbers are the set's
};

struct DataRequest {
  std::filesystem::path path;       // file or folder
  std::filesystem::path images;     // folder of the pictures of COCO JSON or CSV; empty: the file's folder
  std::vector<std::string> labels;  // of the profile set
  PictureSizeOf size_of;            // not empty
};

// The format found at a path, by its name and contents, with the reason; otherwise what was found instead.
struct FoundFormat {
  DataFormat format = DataFormat::coco_json;
  std::string why;  // "a folder with images/ and labels/"
};
[[nodiscard]] Result<FoundFormat> find_format(const std::filesystem::path& path);

[[nodiscard]] Result<LabelledData> read_labelled_data(const DataRequest& request);  // in the format found

[[nodiscard]] Result<LabelledData> read_coco_json(const DataRequest& request);
[[nodiscard]] Result<LabelledData> read_yolo_folder(const DataRequest& request);
[[nodiscard]] Result<LabelledData> read_class_folder(const DataRequest& request);
[[nodiscard]] Result<LabelledData> read_csv_labels(const DataRequest& request);

// All pictures below a folder, relative to it, in the order of their names; labels are ignored. At least one.
[[nodiscard]] Result<std::vector<std::filesystem::path>> find_pictures(const std::filesystem::path& folder);

// "COCO JSON: 5000 pictures, 36335 objects of 80 labels, 48 pictures without objects"
[[nodiscard]] std::string describe(const LabelledData& data);

}  // namespace saccade::vision
