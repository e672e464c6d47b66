// Shared by the readers of labelled data: the list of mistakes, the set's labels by name, files below a
// folder, boxes that must lie in their picture. Internal to vision/accuracy. Threads: one each. Errors: into
// the report.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "vision/accuracy/labelled_data.hpp"

namespace saccade::vision {

// Bounds of every format.
inline constexpr std::size_t kMostPictures = 500'000;
inline constexpr std::size_t kMostTruths = 2'000'000;
inline constexpr std::size_t kMostClasses = 10'000;

// Mistakes in the order in which they were found; the first 20 are kept.
class DataReport {
 public:
  explicit DataReport(std::string data) : data_(std::move(data)) {}
  void add(std::string where, std::string what, std::string hint = {});
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] Errors errors() const;  // with "and N more" at the end

 private:
  static constexpr std::size_t kMost = 20;
  std::string data_;
  Errors first_;
  std::size_t count_ = 0;
};

// The labels of the profile set by name.
class LabelNames {
 public:
  explicit LabelNames(const std::vector<std::string>& labels);
  [[nodiscard]] std::optional<int> find(const std::string& name) const;
  // The same; an unknown name is reported once, where it first occurs.
  [[nodiscard]] std::optional<int> require(const std::string& name, const std::string& where,
                                           DataReport& report);

 private:
  const std::vector<std::string>& labels_;
  std::map<std::string, int> index_;
  std::set<std::string> reported_;
};

// `name` below `folder`, if it is a file there; anything else is reported.
[[nodiscard]] std::optional<std::filesystem::path> file_below(const std::filesystem::path& folder,
                                                              const std::string& name,
                                                              const std::string& where, DataReport& report);

// By extension: .jpg, .jpeg, .png, .bmp in any case, as for frame sources.
[[nodiscard]] bool is_picture(const std::filesystem::path& file);
// All files in a folder that `wanted` accepts, sorted, relative to it; `deep`: including subfolders. Names
// that begin with a dot are ignored.
[[nodiscard]] std::vector<std::filesystem::path> files_in(
    const std::filesystem::path& folder, bool deep,
    const std::function<bool(const std::filesystem::path&)>& wanted, DataReport& report);
// Direct subfolders of a folder, by name, sorted.
[[nodiscard]] std::vector<std::string> folders_in(const std::filesystem::path& folder);

// A finite number spanning the whole text.
[[nodiscard]] std::optional<double> to_number(std::string_view text);

// Left, top, width, height in pixels as a box; reported and absent unless it has an area and lies in the
// picture. It may exceed the edge by a pixel, because of rounding.
struct BoxNumbers {
  double x, y, width, height;
};
[[nodiscard]] std::optional<Box> checked_box(const BoxNumbers& numbers,
                                             const std::optional<PictureSize>& size, const std::string& where,
                                             DataReport& report);

}  // namespace saccade::vision
