// A folder of made-up labelled pictures for one test. A picture is a text file that says its size ("640
// 480").
#pragma once

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/temporary_folder.hpp"
#include "vision/accuracy/labelled_data.hpp"

namespace saccade::vision::testing {

class DataFolder {
 public:
  void write(const std::string& name, std::string_view text) const {
    std::filesystem::create_directories((folder_.path() / name).parent_path());
    std::ofstream(folder_.path() / name, std::ios::binary) << text;
  }
  void picture(const std::string& name, int width = 640, int height = 480) const {
    write(name, std::to_string(width) + " " + std::to_string(height));
  }
  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const {
    return folder_.path() / name;
  }

  [[nodiscard]] DataRequest request(const std::string& name) const {
    return {folder_.path() / name, {}, {"person", "car", "dog"}, size_of};
  }
  // One error per line, without the folder's own path.
  [[nodiscard]] std::string complaints(const Errors& errors) const {
    std::string text = to_string(errors);
    const std::string own = folder_.path().string() + "/";
    for (std::size_t at = text.find(own); at != std::string::npos; at = text.find(own, at))
      text.erase(at, own.size());
    return text;
  }
  [[nodiscard]] std::string complaints(const std::string& name) const {
    const Result<LabelledData> data = read_labelled_data(request(name));
    return data.ok() ? "" : complaints(data.errors());
  }

  static std::optional<PictureSize> size_of(const std::filesystem::path& file) {
    PictureSize size;
    std::ifstream in(file);
    if (!(in >> size.width >> size.height)) return std::nullopt;
    return size;
  }

 private:
  test::TemporaryFolder folder_;
};

}  // namespace saccade::vision::testing
