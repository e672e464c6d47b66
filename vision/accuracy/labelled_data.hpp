// The user's own labelled pictures, in the formats that people have them in: COCO JSON, YOLO folders, a
// folder per class, CSV. Names of classes are those of the profile set. Everything wrong is reported at once,
// with file and line (the first 20 mistakes, and how many more): missing pictures, boxes outside of their
// picture, names that the set does not know, ill-formed numbers. Pictures themselves are not opened: where a
// format gives no sizes, the caller's function does. Files are taken as hostile: sizes, counts and depths are
// bounded, names that lead out of the data's folder
// ("..", absolute paths) are refused. Symbolic links to folders are not followed, those to files are.
// Formats by example: docs/accuracy.md.
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
      size;                  // as the data says: a picture that differs when it is loaded has other boxes
  std::optional<int> label;  // of the whole picture, in data for classifiers
  Truths truths;             // in data for detectors; a picture may have none
};

enum class DataFormat : std::uint8_t { coco_json, yolo_folder, class_folder, csv };
[[nodiscard]] std::string_view to_string(DataFormat format);

struct LabelledData {
  DataFormat format = DataFormat::coco_json;
  bool boxes = true;  // truths; else one label per picture
  std::vector<LabelledPicture> pictures;
};

struct DataRequest {
  std::filesystem::path path;       // file or folder
  std::filesystem::path images;     // where the pictures of COCO JSON or CSV lie; empty: the file's folder
  std::vector<std::string> labels;  // of the profile set
  PictureSizeOf size_of;            // not empty
};

// What a path holds, by its name and the names in it, and how that was seen; else what is there instead.
struct FoundFormat {
  DataFormat format = DataFormat::coco_json;
  std::string why;  // "a folder with images/ and labels/"
};
[[nodiscard]] Result<FoundFormat> find_format(const std::filesystem::path& path);

[[nodiscard]] Result<LabelledData> read_labelled_data(const DataRequest& request);  // of the format found

[[nodiscard]] Result<LabelledData> read_coco_json(const DataRequest& request);
[[nodiscard]] Result<LabelledData> read_yolo_folder(const DataRequest& request);
[[nodiscard]] Result<LabelledData> read_class_folder(const DataRequest& request);
[[nodiscard]] Result<LabelledData> read_csv_labels(const DataRequest& request);

// All pictures below a folder, relative to it, in the order of their names; labels are not looked at. At
// least one.
[[nodiscard]] Result<std::vector<std::filesystem::path>> find_pictures(const std::filesystem::path& folder);

// "COCO JSON: 5000 pictures, 36335 objects of 80 labels, 48 pictures without objects"
[[nodiscard]] std::string describe(const LabelledData& data);

}  // namespace saccade::vision
