#include "vision/accuracy/yolo_folder.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "text/strict_json.hpp"
#include "text/text_file.hpp"
#include "vision/accuracy/class_names.hpp"
#include "vision/accuracy/data_checks.hpp"
#include "vision/accuracy/labelled_data.hpp"

namespace saccade::vision {
namespace {

namespace fs = std::filesystem;

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  constexpr std::size_t kEnough = 8;  // a polygon may have thousands
  while (words.size() < kEnough) {
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) break;
    line.remove_prefix(begin);
    const std::size_t end = std::min(line.find_first_of(" \t\r"), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return words;
}

class YoloReader {
 public:
  YoloReader(const DataRequest& request, const YoloFolders& folders, DataReport& report)
      : request_(request), folders_(folders), report_(report), labels_(request.labels) {}

  [[nodiscard]] LabelledData read() {
    LabelledData data{DataFormat::yolo_folder, true, {}};
    if (!is_one_part()) return data;
    read_names();
    if (!names_file_.empty()) {
      std::error_code failure;
      const fs::path file = fs::absolute(names_file_, failure).lexically_normal();
      data.names_from = file.lexically_proximate(folders_.home).generic_string();
    }
    std::set<fs::path> stems;
    for (const fs::path& relative : files_in(folders_.pictures, true, is_picture, report_)) {
      stems.insert(fs::path(relative).replace_extension());
      data.pictures.push_back(read_picture(relative));
    }
    const auto is_text = [](const fs::path& file) {
      return file.extension() == ".txt" && file.filename() != "classes.txt";
    };
    for (const fs::path& relative : files_in(folders_.labels, true, is_text, report_)) {
      if (stems.contains(fs::path(relative).replace_extension())) continue;
      report_.add((folders_.labels / relative).string(), "the picture of these labels is missing",
                  "looked for in " + folders_.pictures.string());
    }
    return data;
  }

 private:
  // Pictures that a network was trained on say nothing about its accuracy: the parts are not mixed.
  [[nodiscard]] bool is_one_part() {
    std::string parts;
    const std::vector<std::string> folders = folders_in(folders_.pictures);
    for (const std::string& folder : folders) {
      if (folder != "train" && folder != "val" && folder != "valid" && folder != "test") continue;
      parts += (parts.empty() ? "" : ", ") + folder;
    }
    if (parts.empty() || folders.size() == 1) return true;
    report_.add(folders_.pictures.string(), "there are several parts: " + parts,
                "name one of them, such as " + (folders_.pictures / "val").string());
    return false;
  }

  void read_names() {
    for (const fs::path& file : folders_.names) {
      std::error_code failure;
      if (!fs::is_regular_file(file, failure)) continue;
      const Result<std::string> text = text::read_text_file(file, 1);
      if (!text) {
        for (const Error& error : text.errors()) report_.add(error.where, error.what, error.hint);
        return;
      }
      const bool lines = file.extension() == ".txt";
      names_ = lines ? names_of_lines(text.value(), file.string(), report_)
                     : names_of_yaml(text.value(), file.string(), report_);
      names_file_ = file.string();
      return;
    }
  }

  [[nodiscard]] LabelledPicture read_picture(const fs::path& relative) {
    LabelledPicture picture{folders_.pictures / relative, std::nullopt, std::nullopt, {}};
    const fs::path labels = (folders_.labels / relative).replace_extension(".txt");
    std::error_code failure;
    if (!fs::exists(labels, failure)) return picture;  // as trainers do: a picture without objects
    const Result<std::string> text = text::read_text_file(labels, 4);
    if (!text) {
      for (const Error& error : text.errors()) report_.add(error.where, error.what, error.hint);
      return picture;
    }
    std::string_view rest = text.value();
    for (std::size_t line = 1; !rest.empty(); ++line) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const std::vector<std::string_view> words = words_of(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (words.empty()) continue;
      if (!picture.size && !unreadable_.contains(picture.file)) picture.size = size_of(picture.file);
      if (++truths_ > kMostTruths) {
        if (truths_ == kMostTruths + 1)
          report_.add(request_.path.string(), "there are more than 2000000 boxes");
        break;
      }
      read_line(words, labels.string() + ":" + std::to_string(line), picture);
    }
    return picture;
  }

  [[nodiscard]] std::optional<PictureSize> size_of(const fs::path& file) {
    const std::optional<PictureSize> size = request_.size_of(file);
    if (!size) {
      unreadable_.insert(file);
      report_.add(file.string(), "the picture cannot be read");
    }
    return size;
  }

  // "class centre-x centre-y width height", all but the class as shares of the picture's sides.
  void read_line(const std::vector<std::string_view>& words, const std::string& where,
                 LabelledPicture& picture) {
    if (words.size() != 5) {
      report_.add(
          where,
          "a line has a class and four numbers, not " + std::string(words.size() > 5 ? "more" : "less"),
          words.size() > 5 ? "outlines and key points are not boxes" : "class x y width height");
      return;
    }
    const std::optional<int> label = label_of(words[0], where);
    constexpr double kSlack = 1e-3;  // writers round
    std::array<double, 4> numbers{};
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const std::optional<double> number = to_number(words[i + 1]);
      if (!number || *number < -kSlack || *number > 1.0 + kSlack) {
        report_.add(where, text::in_quotes(words[i + 1]) + " is not a number from 0 to 1",
                    "boxes are shares of the picture's width and height");
        return;
      }
      numbers[i] = *number;
    }
    if (!picture.size) return;
    const double width = numbers[2] * picture.size->width;
    const double height = numbers[3] * picture.size->height;
    const BoxNumbers pixels{numbers[0] * picture.size->width - width / 2,
                            numbers[1] * picture.size->height - height / 2, width, height};
    const std::optional<Box> box = checked_box(pixels, picture.size, where, report_);
    if (box && label) picture.truths.push_back({*box, *label, false, std::nullopt});
  }

  [[nodiscard]] std::optional<int> label_of(std::string_view word, const std::string& where) {
    std::size_t number = 0;
    const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (failure != std::errc() || end != word.data() + word.size()) {
      report_.add(where, text::in_quotes(word) + " is not the number of a class",
                  "classes are numbered from 0");
      return std::nullopt;
    }
    if (names_file_.empty()) {
      if (number < request_.labels.size()) return static_cast<int>(number);
      report_.add(where,
                  "the profile set has " + std::to_string(request_.labels.size()) + " labels, no class " +
                      std::to_string(number),
                  "name the classes in " + folders_.names.front().string());
      return std::nullopt;
    }
    const auto name = names_.find(number);
    if (name != names_.end()) return labels_.require(name->second.name, name->second.where, report_);
    if (nameless_.insert(number).second) {
      report_.add(where, "the class " + std::to_string(number) + " has no name",
                  "names are read from " + names_file_);
    }
    return std::nullopt;
  }

  const DataRequest& request_;
  const YoloFolders& folders_;
  DataReport& report_;
  LabelNames labels_;
  ClassNames names_;
  std::string names_file_;  // empty: numbers are the profile set's
  std::set<std::size_t> nameless_;
  std::set<fs::path> unreadable_;
  std::size_t truths_ = 0;
};

void add_name_files(const fs::path& folder, std::vector<fs::path>& files) {
  for (const char* name : {"data.yaml", "data.yml", "dataset.yaml", "classes.txt"})
    files.push_back(folder / name);
}

}  // namespace

std::optional<YoloFolders> find_yolo_folders(const fs::path& path) {
  std::error_code failure;
  const fs::path folder = (path.has_filename() ? path : path.parent_path()).lexically_normal();
  const auto is_folder = [&](const fs::path& candidate) { return fs::is_directory(candidate, failure); };
  YoloFolders found{{}, folder / "images", folder / "labels", {}};
  fs::path home = folder;
  if (!is_folder(found.pictures) || !is_folder(found.labels)) {
    // The last folder named images becomes labels: a/images/val -> a/labels/val.
    fs::path below;
    fs::path at = fs::absolute(folder, failure).lexically_normal();
    while (at.has_relative_path() && at.filename() != "images") {
      below = below.empty() ? at.filename() : at.filename() / below;
      at = at.parent_path();
    }
    home = at.parent_path();
    found = {{}, folder, below.empty() ? home / "labels" : home / "labels" / below, {}};
    if (at.filename() != "images" || !is_folder(found.pictures) || !is_folder(found.labels))
      return std::nullopt;
  }
  add_name_files(home, found.names);
  found.names.push_back(found.labels / "classes.txt");
  // The paths "." and ".." do not say what is above them.
  found.home = fs::absolute(home, failure).lexically_normal();
  if (!found.home.has_filename()) found.home = found.home.parent_path();
  add_name_files(found.home.parent_path(), found.names);
  return found;
}

Result<LabelledData> read_yolo_folder(const DataRequest& request) {
  const std::string name = request.path.string();
  const std::optional<YoloFolders> folders = find_yolo_folders(request.path);
  if (!folders) return Error{name, "there are no folders images and labels", ""};
  DataReport report(name);
  LabelledData data = YoloReader(request, *folders, report).read();
  if (report.empty() && data.pictures.empty()) {
    report.add(folders->pictures.string(), "the folder has no pictures (.jpg, .jpeg, .png, .bmp)");
  }
  if (!report.empty()) return report.errors();
  return data;
}

}  // namespace saccade::vision
