#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "text/csv.hpp"
#include "text/strict_json.hpp"
#include "text/text_file.hpp"
#include "vision/accuracy/data_checks.hpp"
#include "vision/accuracy/labelled_data.hpp"

namespace saccade::vision {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 6> kCsvColumns = {"file", "label", "x", "y", "width", "height"};
constexpr std::size_t kFile = 0;
constexpr std::size_t kLabel = 1;
constexpr std::size_t kBox = 2;
constexpr const char* kCsvHeader = "the first row is file,label or file,label,x,y,width,height";

class CsvLabels {
 public:
  CsvLabels(const DataRequest& request, DataReport& report)
      : request_(request), name_(request.path.string()), report_(report), labels_(request.labels) {}

  [[nodiscard]] LabelledData read(const std::vector<text::CsvRow>& rows) {
    LabelledData data{DataFormat::csv, true, {}};
    if (rows.empty()) {
      report_.add(name_, "the file is empty", kCsvHeader);
      return data;
    }
    if (!read_header(rows.front())) return data;
    data.boxes = has_boxes_;
    for (std::size_t i = 1; i < rows.size(); ++i) {
      if (rows[i].size() == columns_.size()) {
        read_row(rows[i], data);
      } else {
        report_.add(place(rows[i].front()), "the row has " + std::to_string(rows[i].size()) +
                                                " cells, the header " + std::to_string(columns_.size()));
      }
    }
    return data;
  }

 private:
  struct Known {
    std::optional<std::size_t> picture;  // absent: reported
    std::size_t line;                    // of its first row
  };

  [[nodiscard]] std::string place(const text::CsvCell& cell) const {
    return text::place_in(name_, cell.line, cell.column);
  }

  // Columns in any order, by their names.
  [[nodiscard]] bool read_header(const text::CsvRow& header) {
    const std::vector<std::string> known(kCsvColumns.begin(), kCsvColumns.end());
    std::array<bool, kCsvColumns.size()> seen{};
    bool good = true;
    for (const text::CsvCell& cell : header) {
      const auto found = std::find(known.begin(), known.end(), cell.text);
      const auto column = static_cast<std::size_t>(found - known.begin());
      if (found == known.end()) {
        const std::string meant = text::nearest(cell.text, known);
        report_.add(place(cell), "there is no column " + text::in_quotes(cell.text),
                    meant.empty() ? kCsvHeader : "did you mean `" + meant + "`?");
        good = false;
        continue;
      }
      if (std::exchange(seen.at(column), true)) {
        report_.add(place(cell), "the column " + text::in_quotes(cell.text) + " is given twice");
        good = false;
      }
      columns_.push_back(column);
    }
    has_boxes_ = std::any_of(seen.begin() + kBox, seen.end(), [](bool given) { return given; });
    for (std::size_t i = 0; good && i < known.size(); ++i) {
      if (seen.at(i) || (i >= kBox && !has_boxes_)) continue;
      report_.add(place(header.front()), "there is no column `" + known[i] + "`", kCsvHeader);
      good = false;
    }
    return good;
  }

  void read_row(const text::CsvRow& row, LabelledData& data) {
    std::array<const text::CsvCell*, kCsvColumns.size()> cells{};
    for (std::size_t i = 0; i < row.size(); ++i) cells.at(columns_[i]) = &row[i];
    const auto is_empty = [](const text::CsvCell* cell) { return cell->text.empty(); };
    const bool nothing = has_boxes_ && std::all_of(cells.begin() + kLabel, cells.end(), is_empty);
    const std::optional<std::size_t> picture = picture_of(*cells[kFile], data);
    if (nothing) return;  // a picture without objects
    const std::optional<int> label = labels_.require(cells[kLabel]->text, place(*cells[kLabel]), report_);
    if (!has_boxes_) {
      if (picture) data.pictures[*picture].label = label;
      return;
    }
    std::array<double, 4> numbers{};
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const text::CsvCell& cell = *cells.at(kBox + i);
      const std::optional<double> number = to_number(cell.text);
      if (!number) return report_.add(place(cell), text::in_quotes(cell.text) + " is not a number");
      numbers[i] = *number;
    }
    if (!picture) return;
    const BoxNumbers pixels{numbers[0], numbers[1], numbers[2], numbers[3]};
    LabelledPicture& labelled = data.pictures[*picture];
    const std::optional<Box> box = checked_box(pixels, labelled.size, place(*cells[kBox]), report_);
    if (box && label) labelled.truths.push_back({*box, *label, false, std::nullopt});
  }

  [[nodiscard]] std::optional<std::size_t> picture_of(const text::CsvCell& cell, LabelledData& data) {
    const auto [known, fresh] = known_.try_emplace(cell.text, Known{std::nullopt, cell.line});
    if (!fresh) {
      if (!has_boxes_) {
        report_.add(place(cell), text::in_quotes(cell.text) + " has a label already",
                    "the other is in line " + std::to_string(known->second.line));
      }
      return known->second.picture;
    }
    const fs::path folder = request_.images.empty() ? request_.path.parent_path() : request_.images;
    const std::optional<fs::path> file = file_below(folder, cell.text, place(cell), report_);
    if (!file) return std::nullopt;
    LabelledPicture picture{*file, std::nullopt, std::nullopt, {}};
    if (has_boxes_) {
      picture.size = request_.size_of(*file);
      if (!picture.size) {
        report_.add(place(cell), "the picture " + text::in_quotes(cell.text) + " cannot be read");
        return std::nullopt;
      }
    }
    known->second.picture = data.pictures.size();
    data.pictures.push_back(std::move(picture));
    return known->second.picture;
  }

  const DataRequest& request_;
  const std::string name_;
  DataReport& report_;
  LabelNames labels_;
  std::vector<std::size_t> columns_;  // what the cells of a row are
  bool has_boxes_ = false;
  std::map<std::string, Known> known_;
};

}  // namespace

Result<LabelledData> read_csv_labels(const DataRequest& request) {
  constexpr std::size_t kMostMebibytes = 32;
  constexpr std::ptrdiff_t kMostCells = 3'000'000;  // a cell takes many times its bytes
  const Result<std::string> text = text::read_text_file(request.path, kMostMebibytes);
  if (!text) return text.errors();
  const std::string name = request.path.string();
  const auto ends_cell = [](char c) { return c == ',' || c == '\n'; };
  if (std::count_if(text.value().begin(), text.value().end(), ends_cell) > kMostCells) {
    return Error{name, "the file has more than 3000000 cells", "measure on a part of the pictures"};
  }
  const auto rows = text::parse_csv(text.value(), name);
  DataReport report(name);
  if (!rows) {
    for (const Error& error : rows.errors()) report.add(error.where, error.what, error.hint);
    return report.errors();
  }
  LabelledData data = CsvLabels(request, report).read(rows.value());
  if (report.empty() && data.pictures.empty()) report.add(name, "the file names no pictures");
  if (!report.empty()) return report.errors();
  return data;
}

}  // namespace saccade::vision
