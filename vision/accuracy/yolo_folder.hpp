// Locates the parts of a YOLO data set. Two layouts are common: FOLDER/images with FOLDER/labels, and one
// part of a set, FOLDER/images/val with FOLDER/labels/val, named by its folder of pictures. Internal to
// vision/accuracy. Threads: functions without state. Errors: none.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

namespace saccade::vision {

struct YoloFolders {
  std::filesystem::path home;  // has the folders of pictures and labels; absolute
  std::filesystem::path pictures;
  std::filesystem::path labels;
  std::vector<std::filesystem::path> names;  // files that may contain the class names, the best first
};
[[nodiscard]] std::optional<YoloFolders> find_yolo_folders(const std::filesystem::path& path);

}  // namespace saccade::vision
