#include <optional>
#include <utility>

#include "vision/accuracy/data_checks.hpp"
#include "vision/accuracy/labelled_data.hpp"

namespace saccade::vision {

Result<LabelledData> read_class_folder(const DataRequest& request) {
  namespace fs = std::filesystem;
  DataReport report(request.path.string());
  LabelNames labels(request.labels);
  LabelledData data{DataFormat::class_folder, false, {}};
  for (const std::string& folder : folders_in(request.path)) {
    const std::vector<fs::path> files = files_in(request.path / folder, false, is_picture, report);
    if (files.empty()) continue;
    const std::optional<int> label = labels.require(folder, (request.path / folder).string(), report);
    if (data.pictures.size() + files.size() > kMostPictures) {
      report.add(request.path.string(), "there are more than " + std::to_string(kMostPictures) + " pictures",
                 "measure on a part of them");
      break;
    }
    for (const fs::path& file : files) {
      data.pictures.push_back({request.path / folder / file, std::nullopt, label, {}});
    }
  }
  for (const fs::path& file : files_in(request.path, false, is_picture, report)) {
    report.add((request.path / file).string(), "the picture is in no folder of a class", "");
  }
  if (report.empty() && data.pictures.empty()) {
    report.add(request.path.string(), "its folders have no pictures (.jpg, .jpeg, .png, .bmp)");
  }
  if (!report.empty()) return report.errors();
  return data;
}

}  // namespace saccade::vision
