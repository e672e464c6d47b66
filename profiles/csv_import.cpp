#include "profiles/csv_import.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <utility>

#include "profiles/profile_io.hpp"
#include "text/csv.hpp"
#include "text/json_values.hpp"
#include "text/strict_json.hpp"
#include "text/text_file.hpp"

namespace saccade::profiles {
namespace {

struct Column {
  const char* name;
  bool is_number;
  bool needed;
};
constexpr std::array kColumns = {
    Column{"id", false, true},
    Column{"accuracy", true, true},
    Column{"frame_time_seconds", true, true},
    Column{"power_watts", true, false},
    Column{"energy_joules_per_frame", true, false},
    Column{"memory_bytes", true, false},
    Column{"device_memory_bytes", true, false},
    Column{"load_time_seconds", true, false},
    Column{"precision", false, false},
    Column{"model", false, false},
};
constexpr const char* kNeeded = "every variant needs id, accuracy and frame_time_seconds";
// Passes every rule of the reader: stands where something was already complained about.
constexpr double kPlaceholder = 1.0;

class CsvImporter {
 public:
  CsvImporter(const std::string& name, const CsvContext& context)
      : name_(name),
        context_(context),
        report_(name, [this](std::size_t line, const std::string& pointer) { return place(line, pointer); }) {
  }

  Result<ProfileSet> read(const std::vector<text::CsvRow>& rows) {
    if (rows.empty()) {
      return Error{name_, "the file is empty", "its first line names the columns: " + column_names()};
    }
    read_header(rows.front());
    std::vector<text::JsonValue> variants;
    for (auto row = rows.begin() + 1; row != rows.end(); ++row) {
      if (!has_all_cells(*row)) continue;
      rows_.push_back(&*row);
      variants.push_back(variant_of(*row));
    }
    if (rows.size() == 1) {
      report_.add_file("there is no variant", "write one per line below the names of the columns");
    }
    const std::string& source = context_.energy_source;
    if (has_energy_ ? source == "unavailable" : source == "measured" || source == "modelled") {
      complain_of_option("--energy-source", std::string("the table has ") + (has_energy_ ? "" : "no ") +
                                                "power or energy, which does not go with " +
                                                text::in_quotes(source));
    }
    // The reader would say it again of an empty list.
    if (variants.empty()) variants.push_back(variant_of(text::CsvRow{}));
    return read_profile_document(document_of(std::move(variants)), report_);
  }

 private:
  static std::string column_names() {
    std::string names;
    for (const Column& column : kColumns) names += (names.empty() ? "" : ",") + std::string(column.name);
    return names;
  }

  // `column` is its name; empty = about the line.
  void complain(const text::CsvCell& cell, std::string_view column, std::string what, std::string hint) {
    report_.add_foreign(cell.line, {{place_of(cell, column), std::move(what), std::move(hint)}});
  }

  void complain_of_option(const std::string& option, const std::string& what) {
    report_.add_foreign(0, {{option, what, "leave the option out"}});
  }

  // "file:line:column", and the column's name.
  [[nodiscard]] std::string place_of(const text::CsvCell& cell, std::string_view column) const {
    const std::string place = text::place_in(name_, cell.line, cell.column);
    return column.empty() ? place : place + " " + std::string(column);
  }

  void read_header(const text::CsvRow& header) {
    width_ = header.size();
    std::vector<std::string> known, misnamed;
    for (const Column& column : kColumns) known.emplace_back(column.name);
    for (std::size_t i = 0; i < header.size(); ++i) {
      const text::CsvCell& cell = header[i];
      if (cell.text.find(';') != std::string::npos) {
        complain(cell, "", "cells are separated with semicolons", "separate them with commas");
        return;
      }
      if (std::find(known.begin(), known.end(), cell.text) == known.end()) {
        const std::string meant = text::nearest(cell.text, known);
        misnamed.push_back(meant);
        complain(cell, "", "unknown column " + text::in_quotes(cell.text),
                 meant.empty() ? "known are: " + column_names() : "did you mean `" + meant + "`?");
      } else if (!places_.emplace(cell.text, i).second) {
        complain(cell, "", "the column " + text::in_quotes(cell.text) + " is named twice",
                 "remove one of the two");
      }
    }
    for (const Column& column : kColumns) {
      if (!column.needed || places_.contains(column.name)) continue;
      if (std::find(misnamed.begin(), misnamed.end(), column.name) != misnamed.end()) continue;
      complain(header.front(), "", "the column `" + std::string(column.name) + "` is missing", kNeeded);
    }
  }

  bool has_all_cells(const text::CsvRow& row) {
    if (row.size() == width_) return true;
    complain(row.front(), "",
             "the line has " + std::to_string(row.size()) + (row.size() == 1 ? " cell" : " cells") +
                 " where the first line names " + std::to_string(width_) + " columns",
             row.size() > width_ ? "quote a cell that contains a comma"
                                 : "leave cells empty, but keep their commas");
    return false;
  }

  // Null where the table has no such column, or the row is made up.
  [[nodiscard]] const text::CsvCell* cell_of(const text::CsvRow& row, const char* column) const {
    const auto place = places_.find(column);
    return place == places_.end() || place->second >= row.size() ? nullptr : &row[place->second];
  }

  text::JsonValue variant_of(const text::CsvRow& row) {
    std::vector<text::JsonMember> members;
    for (const Column& column : kColumns) {
      if (auto value = value_of(row, column)) members.push_back({column.name, std::move(*value)});
    }
    return text::object_value(std::move(members), row.empty() ? 1 : row.front().line);
  }

  std::optional<text::JsonValue> value_of(const text::CsvRow& row, const Column& column) {
    const text::CsvCell* cell = cell_of(row, column.name);
    const bool empty = cell == nullptr || cell->text.empty();
    if (empty && !column.needed) return std::nullopt;
    if (empty && cell != nullptr) complain(*cell, column.name, "the cell is empty", kNeeded);
    const std::size_t line = cell == nullptr ? 1 : cell->line;
    if (!column.is_number) {
      return text::text_value(empty ? "row-" + std::to_string(rows_.size()) : cell->text, line);
    }
    std::optional<double> number;
    if (!empty) {
      number = text::number_in_cell(cell->text);
      if (!number) {
        complain(*cell, column.name, "must be a number, but is the text " + text::in_quotes(cell->text),
                 text::hint_for_number(cell->text));
      }
    }
    text::JsonValue value = text::number_value(number.value_or(kPlaceholder), line);
    const std::string_view name = column.name;
    has_energy_ = has_energy_ || name == "energy_joules_per_frame" || name == "power_watts";
    if (name != "frame_time_seconds") return value;
    return text::object_value({{context_.processor, std::move(value)}}, line);
  }

  // The table as the document that the reader of profile sets would find.
  [[nodiscard]] text::JsonValue document_of(std::vector<text::JsonValue> variants) const {
    std::vector<text::JsonMember> device = {
        {"name", text::text_value(context_.device)},
        {"processors", text::list_value({text::text_value(context_.processor)})}};
    if (context_.idle_power_watts) {
      device.push_back({"idle_power_watts", text::number_value(*context_.idle_power_watts)});
    }
    std::string source = context_.energy_source;
    if (source.empty()) source = has_energy_ ? "measured" : "unavailable";
    std::vector<text::JsonMember> top = {
        {"format", text::text_value(kProfileFormat2)},
        {"network", text::text_value(context_.network)},
        {"device", text::object_value(std::move(device))},
        {"provenance",
         text::object_value(
             {{"measured_by",
               text::text_value("saccade import of " + std::filesystem::path(name_).filename().string())},
              {"energy_source", text::text_value(source)}})},
        {"variants", text::list_value(std::move(variants))}};
    if (context_.metric) top.push_back({"metric", text::text_value(*context_.metric)});
    std::vector<text::JsonValue> labels;
    for (const std::string& label : context_.labels) labels.push_back(text::text_value(label));
    if (!labels.empty()) top.push_back({"labels", text::list_value(std::move(labels))});
    return text::object_value(std::move(top));
  }

  // A pointer of the made-up document as a place of the table or of the command line.
  [[nodiscard]] std::string place(std::size_t line, const std::string& pointer) const {
    static const std::string kVariants = "/variants/";
    for (const auto& [part, option] : {std::pair{"/network", "--network"},
                                       {"/device/name", "--device"},
                                       {"/device/processors", "--processor"},
                                       {"/device/idle_power_watts", "--idle-power"},
                                       {"/provenance/energy_source", "--energy-source"},
                                       {"/metric", "--metric"},
                                       {"/labels", "--labels"}}) {
      if (pointer.starts_with(part)) return option;
    }
    if (!pointer.starts_with(kVariants)) return name_;
    const std::size_t slash = pointer.find('/', kVariants.size());
    const std::size_t row = std::strtoull(pointer.c_str() + kVariants.size(), nullptr, 10);
    const std::string key =
        slash == std::string::npos ? "" : pointer.substr(slash + 1, pointer.find('/', slash + 1) - slash - 1);
    const text::CsvCell* cell = row < rows_.size() ? cell_of(*rows_[row], key.c_str()) : nullptr;
    return cell == nullptr ? name_ + ":" + std::to_string(line) : place_of(*cell, key);
  }

  const std::string& name_;
  const CsvContext& context_;
  std::map<std::string, std::size_t> places_;  // of the columns
  std::size_t width_ = 0;
  std::vector<const text::CsvRow*> rows_;  // of the variants, in the order of the document
  bool has_energy_ = false;
  text::JsonReport report_;
};

}  // namespace

Result<ProfileSet> import_csv_text(std::string_view text, const std::string& name,
                                   const CsvContext& context) {
  const Result<std::vector<text::CsvRow>> rows = text::parse_csv(text, name);
  if (!rows) return rows.errors();
  Result<ProfileSet> set = CsvImporter(name, context).read(rows.value());
  if (set) {
    set.value().provenance.accuracy_source = AccuracySource::declared;
    set.value().provenance.accuracy_data = std::filesystem::path(name).filename().string();
  }
  return set;
}

Result<ProfileSet> import_csv(const std::filesystem::path& path, const CsvContext& context) {
  const Result<std::string> text = text::read_text_file(path, kMaxCsvMebibytes);
  if (!text) return text.errors();
  Result<ProfileSet> set = import_csv_text(text.value(), path.string(), context);
  if (set) set.value().directory = path.parent_path();
  return set;
}

}  // namespace saccade::profiles
