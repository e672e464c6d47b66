// What the side files of a model contain about its input and its labels: preprocessor_config.json and
// config.json of Hugging Face, config.json of timm. In the terms of profiles::PictureInput, where element =
// (pixel * scale - mean) / std; what cannot be expressed there (a shortest edge, a crop larger than the
// input) is reported instead of adopted.
// Source: transformers' image processors, timm's pretrained_cfg.
// Threads: functions without state. Errors: Result with file, line and pointer; nothing throws.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "profiles/interface.hpp"

namespace saccade::vision {

// A value and the key of the file that contains it.
template <class T>
struct SideValue {
  T value;
  std::string key;
};

struct SideFile {
  struct Size {
    int width = 0;
    int height = 0;
    bool operator==(const Size&) const = default;
  };

  std::string file;
  std::string kind;  // "a preprocessor configuration of Hugging Face", …
  std::optional<SideValue<double>> scale;
  std::optional<SideValue<std::array<double, 3>>> mean;
  std::optional<SideValue<std::array<double, 3>>> std;
  std::optional<SideValue<Size>> size;
  std::optional<SideValue<profiles::Resize>> resize;
  std::optional<SideValue<profiles::Filter>> filter;
  std::optional<SideValue<std::vector<std::string>>> labels;
  std::optional<SideValue<std::string>> model_type;  // "detr", "rt_detr", "mobilenetv3_small_100", …
  Errors not_taken;                                  // what the interface cannot express
};

[[nodiscard]] Result<SideFile> read_side_file(const std::filesystem::path& path);
// The same from text; `name` replaces the file's name in errors.
[[nodiscard]] Result<SideFile> parse_side_file(std::string_view text, const std::string& name);

}  // namespace saccade::vision
