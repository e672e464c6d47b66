#include "vision/accuracy/labelled_data.hpp"

#include <algorithm>
#include <set>
#include <system_error>
#include <utility>

#include "base/check.hpp"
#include "text/strict_json.hpp"
#include "vision/accuracy/data_checks.hpp"
#include "vision/accuracy/yolo_folder.hpp"

namespace saccade::vision {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKnownFormats =
    "known are COCO's JSON, a folder with images/ and labels/ (YOLO), a folder per class, and CSV";

bool has_extension(const fs::path& file, const char* extension) {
  std::string own = file.extension().string();
  for (char& c : own) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return own == extension;
}

std::size_t count_pictures(const fs::path& folder) {
  DataReport ignored(folder.string());  // a folder that cannot be read has none; its reader will say so
  return files_in(folder, false, is_picture, ignored).size();
}

// "1 picture", "2 pictures"
std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

Error no_format(const fs::path& folder) {
  DataReport ignored(folder.string());
  const auto is_labels = [](const fs::path& file) {
    return has_extension(file, ".json") || has_extension(file, ".csv");
  };
  const std::vector<fs::path> files = files_in(folder, false, is_labels, ignored);
  const std::size_t pictures = count_pictures(folder);
  std::error_code failure;
  Error error{folder.string(), "the folder holds no labelled pictures", kKnownFormats};
  if (!files.empty()) {
    error.what = "the folder holds " + text::in_quotes(files.front().string());
    error.hint = "name the file itself: " + (folder / files.front()).string();
  } else if (pictures > 0) {
    error.what = "the folder holds " + counted(pictures, "picture") + " without labels";
  } else if (fs::is_directory(folder / "images", failure)) {
    error.what = "the folder holds images/ but no labels/";
  }
  return error;
}

Result<FoundFormat> format_of_folder(const fs::path& folder) {
  if (find_yolo_folders(folder))
    return FoundFormat{DataFormat::yolo_folder, "a folder with images/ and labels/"};
  std::size_t classes = 0;
  std::string first;
  for (const std::string& name : folders_in(folder)) {
    if (name == "images" || name == "labels" || count_pictures(folder / name) == 0) continue;
    if (classes++ == 0) first = name;
  }
  if (classes == 0) return no_format(folder);
  return FoundFormat{DataFormat::class_folder, "a folder with " + counted(classes, "folder") +
                                                   " of pictures, " + text::in_quotes(first) +
                                                   (classes > 1 ? " the first" : "")};
}

}  // namespace

std::string_view to_string(DataFormat format) {
  switch (format) {
    case DataFormat::coco_json:
      return "COCO JSON";
    case DataFormat::yolo_folder:
      return "YOLO folder";
    case DataFormat::class_folder:
      return "folder per class";
    case DataFormat::csv:
      return "CSV";
  }
  return "";
}

Result<FoundFormat> find_format(const fs::path& path) {
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  if (fs::is_directory(status)) return format_of_folder(path);
  if (!fs::is_regular_file(status)) {
    return Error{path.string(),
                 fs::exists(status) ? "this is neither a file nor a folder" : "there is no such path",
                 "check the path"};
  }
  if (has_extension(path, ".json")) return FoundFormat{DataFormat::coco_json, "a file named .json"};
  if (has_extension(path, ".csv")) return FoundFormat{DataFormat::csv, "a file named .csv"};
  const bool yaml = has_extension(path, ".yaml") || has_extension(path, ".yml");
  return Error{path.string(), "labelled pictures are not described by such a file",
               yaml ? "name the folder that has images/ and labels/" : kKnownFormats};
}

Result<LabelledData> read_labelled_data(const DataRequest& request) {
  SACCADE_CHECK(request.size_of != nullptr);
  const Result<FoundFormat> found = find_format(request.path);
  if (!found) return found.errors();
  switch (found.value().format) {
    case DataFormat::coco_json:
      return read_coco_json(request);
    case DataFormat::yolo_folder:
      return read_yolo_folder(request);
    case DataFormat::class_folder:
      return read_class_folder(request);
    case DataFormat::csv:
      return read_csv_labels(request);
  }
  SACCADE_CHECK(false);
}

Result<std::vector<fs::path>> find_pictures(const fs::path& folder) {
  std::error_code failure;
  if (!fs::is_directory(folder, failure))
    return Error{folder.string(), "this is no folder", "name a folder of pictures"};
  DataReport report(folder.string());
  std::vector<fs::path> pictures = files_in(folder, true, is_picture, report);
  if (report.empty() && pictures.empty())
    report.add(folder.string(), "the folder has no pictures (.jpg, .jpeg, .png, .bmp)");
  if (!report.empty()) return report.errors();
  return pictures;
}

std::string describe(const LabelledData& data) {
  std::size_t objects = 0;
  std::size_t empty = 0;
  std::set<int> labels;
  for (const LabelledPicture& picture : data.pictures) {
    objects += picture.truths.size();
    if (picture.truths.empty()) ++empty;
    if (picture.label) labels.insert(*picture.label);
    for (const Truth& truth : picture.truths) labels.insert(truth.label);
  }
  std::string text = std::string(to_string(data.format)) + ": " + counted(data.pictures.size(), "picture");
  text += data.boxes ? ", " + counted(objects, "object") + " of " : " of ";
  text += counted(labels.size(), "label");
  if (data.boxes && empty > 0) text += ", " + counted(empty, "picture") + " without objects";
  if (data.format == DataFormat::yolo_folder)
    text += data.names_from.empty() ? ", classes by number" : ", names from " + data.names_from;
  return text;
}

}  // namespace saccade::vision
