#include "vision/accuracy/data_checks.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

#include "text/strict_json.hpp"

namespace saccade::vision {
namespace {

namespace fs = std::filesystem;

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

bool has_control_character(const std::string& text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; });
}

}  // namespace

void DataReport::add(std::string where, std::string what, std::string hint) {
  if (++count_ <= kMost) first_.push_back({std::move(where), std::move(what), std::move(hint)});
}

Errors DataReport::errors() const {
  Errors errors = first_;
  if (count_ > kMost)
    errors.push_back({data_, "and " + std::to_string(count_ - kMost) + " more mistakes", ""});
  return errors;
}

LabelNames::LabelNames(const std::vector<std::string>& labels) : labels_(labels) {
  for (std::size_t i = 0; i < labels.size(); ++i) index_.try_emplace(labels[i], static_cast<int>(i));
}

std::optional<int> LabelNames::find(const std::string& name) const {
  const auto found = index_.find(name);
  if (found == index_.end()) return std::nullopt;
  return found->second;
}

std::optional<int> LabelNames::require(const std::string& name, const std::string& where,
                                       DataReport& report) {
  const std::optional<int> label = find(name);
  if (label || !reported_.insert(name).second) return label;
  constexpr std::size_t kListed = 8;
  const std::string meant = text::nearest(name, labels_);
  std::string hint = "did you mean `" + meant + "`?";
  if (meant.empty()) {
    hint = "its labels are ";
    for (std::size_t i = 0; i < std::min(kListed, labels_.size()); ++i) {
      hint += (i > 0 ? ", " : "") + text::in_quotes(labels_[i]);
    }
    if (labels_.size() > kListed) hint += " and " + std::to_string(labels_.size() - kListed) + " more";
  }
  report.add(where, text::in_quotes(name) + " is not a label of the profile set", hint);
  return std::nullopt;
}

std::optional<fs::path> file_below(const fs::path& folder, const std::string& name, const std::string& where,
                                   DataReport& report) {
  const fs::path relative(name);
  const bool leads_out =
      std::any_of(relative.begin(), relative.end(), [](const fs::path& p) { return p == ".."; });
  if (name.empty() || has_control_character(name) || relative.is_absolute() || leads_out) {
    report.add(where, text::in_quotes(name) + " cannot be the name of a picture",
               "names are relative to " + folder.string() + " and do not contain `..`");
    return std::nullopt;
  }
  fs::path file = folder / relative;
  std::error_code failure;
  if (!fs::is_regular_file(file, failure)) {
    report.add(where, "the picture " + text::in_quotes(name) + " is missing",
               "looked for in " + folder.string());
    return std::nullopt;
  }
  return file;
}

bool is_picture(const fs::path& file) {
  static constexpr std::array<std::string_view, 4> kExtensions{".jpg", ".jpeg", ".png", ".bmp"};
  std::string extension = file.extension().string();
  for (char& c : extension) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return std::find(kExtensions.begin(), kExtensions.end(), extension) != kExtensions.end();
}

std::vector<fs::path> files_in(const fs::path& folder, bool deep,
                               const std::function<bool(const fs::path&)>& wanted, DataReport& report) {
  constexpr int kDeepest = 8;
  std::vector<fs::path> files;
  std::error_code failure;
  fs::recursive_directory_iterator at(folder, failure);
  while (!failure && at != fs::recursive_directory_iterator()) {
    std::error_code unknown;
    if (at->is_directory(unknown)) {
      if (!deep || is_hidden(at->path())) at.disable_recursion_pending();
      if (deep && at.depth() == kDeepest) {
        at.disable_recursion_pending();
        report.add(at->path().string(), "folders are nested more than 8 deep", "");
      }
    } else if (!is_hidden(at->path()) && wanted(at->path()) && at->is_regular_file(unknown)) {
      if (files.size() == kMostPictures) {
        report.add(folder.string(), "the folder has more than " + std::to_string(kMostPictures) + " files",
                   "measure on a part of them");
        break;
      }
      files.push_back(at->path().lexically_relative(folder));
    }
    at.increment(failure);
  }
  if (failure) report.add(folder.string(), "the folder cannot be read: " + failure.message(), "");
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> folders_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code failure;
  fs::directory_iterator at(folder, failure);
  for (; !failure && at != fs::directory_iterator(); at.increment(failure)) {
    std::error_code unknown;
    if (at->is_directory(unknown) && !is_hidden(at->path())) names.push_back(at->path().filename().string());
    if (names.size() > kMostClasses) break;
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<double> to_number(std::string_view text) {
  double number = 0.0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || end != text.data() + text.size() || !std::isfinite(number))
    return std::nullopt;
  return number;
}

std::optional<Box> checked_box(const BoxNumbers& numbers, const std::optional<PictureSize>& size,
                               const std::string& where, DataReport& report) {
  constexpr double kSlack = 1.0;
  constexpr double kMostPixels = 1e6;  // of any picture: such numbers are exact enough as floats
  const double x = numbers.x;
  const double y = numbers.y;
  const double width = numbers.width;
  const double height = numbers.height;
  const auto box_text = [&] {
    std::string text = "the box [";
    for (const double number : {x, y, width, height})
      text += (text.back() == '[' ? "" : ", ") + text::to_text(number);
    return text + "]";
  };
  if (!(width > 0.0 && height > 0.0)) {
    report.add(where, box_text() + " has no area", "boxes are left, top, width, height");
    return std::nullopt;
  }
  const double right = size ? size->width : kMostPixels;
  const double bottom = size ? size->height : kMostPixels;
  if (!(x >= -kSlack && y >= -kSlack && x + width <= right + kSlack && y + height <= bottom + kSlack)) {
    const std::string picture =
        size ? "picture of " + std::to_string(size->width) + " x " + std::to_string(size->height) : "picture";
    report.add(where, box_text() + " is not in its " + picture,
               "boxes are left, top, width, height in pixels");
    return std::nullopt;
  }
  return Box{static_cast<float>(x), static_cast<float>(y), static_cast<float>(width),
             static_cast<float>(height)};
}

}  // namespace saccade::vision
