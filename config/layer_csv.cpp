#include "config/layer_csv.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "text/csv.hpp"
#include "text/json_values.hpp"
#include "text/text_file.hpp"

namespace saccade::config {
namespace {

using text::CsvCell;
using text::CsvRow;
using text::JsonMember;
using text::JsonValue;

// Columns of the layer itself, of the boundary before it, and of a processor each (`seconds:gpu`).
constexpr std::array kOfLayer = {"name", "layers", "weight_bytes", "working_bytes", "work"};
constexpr std::array kOfBoundary = {"bytes", "cut", "tensors"};
constexpr std::array kOfProcessor = {"seconds", "joules", "apart_seconds"};
constexpr const char* kTransfer = "transfer_seconds";
constexpr const char* kImpossible = "impossible";

template <class Names>
bool is_among(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

struct LayerColumn {
  std::string key;       // without the processors
  std::string from, to;  // processors: `from` alone unless it is a transfer
  std::size_t at = 0;    // in every row
  [[nodiscard]] std::string name() const {
    return key + (from.empty() ? "" : ":" + from) + (to.empty() ? "" : ":" + to);
  }
  [[nodiscard]] bool of_boundary() const {
    return is_among(kOfBoundary, key) || key == "apart_seconds" || key == kTransfer;
  }
};

class LayerTable {
 public:
  LayerTable(const std::string& name, const LayerTableContext& context)
      : name_(name),
        context_(context),
        report_(name, [this](std::size_t, const std::string& pointer) { return place_of_pointer(pointer); }) {
  }

  Result<ImportedLayers> read(const std::vector<CsvRow>& rows) {
    if (rows.empty())
      return Error{name_, "the file is empty", "its first line names the columns: name,seconds:PROCESSOR,…"};
    read_header(rows.front());
    std::vector<JsonValue> layers;
    for (auto row = rows.begin() + 1; row != rows.end(); ++row) {
      if (row->size() == rows.front().size()) {
        layers.push_back(layer_of(*row, layers.size()));
      } else {
        complain(row->front(), "",
                 "the line has " + std::to_string(row->size()) + " cells where the first line names " +
                     std::to_string(rows.front().size()) + " columns",
                 row->size() > rows.front().size() ? "quote a cell that contains a comma"
                                                   : "leave cells empty, but keep their commas");
      }
    }
    if (!layers.empty()) complain_of_processors_without_times();
    ImportedLayers imported{document_of(std::move(layers)), {}};
    auto file = read_layer_document(imported.document, report_);
    if (!file) return file.errors();
    imported.file = std::move(file).value();
    return imported;
  }

 private:
  void complain(const CsvCell& cell, const std::string& column, std::string what, std::string hint) {
    report_.add_foreign(cell.line, {{place_of(cell, column), std::move(what), std::move(hint)}});
  }
  // "file:line:column", and the column's name.
  [[nodiscard]] std::string place_of(const CsvCell& cell, const std::string& column) const {
    const std::string place = text::place_in(name_, cell.line, cell.column);
    return column.empty() ? place : place + " " + column;
  }
  // Of the value, or of what it would be in.
  [[nodiscard]] std::string place_of_pointer(std::string pointer) const {
    for (;;) {
      const auto known = places_.find(pointer);
      if (known != places_.end()) return known->second;
      if (pointer.empty()) return name_;
      pointer.erase(pointer.rfind('/'));
    }
  }

  // ---- the first line

  void read_header(const CsvRow& header) {
    std::map<std::string, std::size_t> named;
    for (std::size_t i = 0; i < header.size(); ++i) {
      const CsvCell& cell = header[i];
      if (cell.text.find(';') != std::string::npos) {
        complain(cell, "", "cells are separated with semicolons", "separate them with commas");
        return;
      }
      const auto column = column_of(cell.text, i);
      if (!column) {
        complain_of_column(cell);
      } else if (!named.emplace(cell.text, i).second) {
        complain(cell, "", "the column " + text::in_quotes(cell.text) + " is named twice",
                 "remove one of the two");
      } else {
        columns_.push_back(*column);
        if (column->key == "seconds") add_processor(*column, cell);
      }
    }
    const auto has = [&](const char* key) {
      return std::any_of(columns_.begin(), columns_.end(),
                         [&](const LayerColumn& c) { return c.key == key; });
    };
    has_names_ = has("name");
    if (!has_names_) complain(header.front(), "", "the column `name` is missing", "every layer has one");
    if (!has("seconds"))
      complain(header.front(), "", "no column has the times of a processor",
               "name one `seconds:PROCESSOR` for each, as in seconds:gpu");
    check_processors(header);
  }

  // Absent: there is no such column.
  static std::optional<LayerColumn> column_of(const std::string& name, std::size_t at) {
    const std::size_t first = name.find(':');
    LayerColumn column{name.substr(0, first), "", "", at};
    if (first == std::string::npos) {
      if (is_among(kOfLayer, column.key) || is_among(kOfBoundary, column.key)) return column;
      return std::nullopt;
    }
    const std::size_t second = name.find(':', first + 1);
    column.from = name.substr(first + 1, second - first - 1);
    if (second != std::string::npos) column.to = name.substr(second + 1);
    const bool of_two = column.key == kTransfer && !column.to.empty();
    const bool of_one = is_among(kOfProcessor, column.key) && second == std::string::npos;
    if (column.from.empty() || !(of_one || of_two)) return std::nullopt;
    return column;
  }

  void complain_of_column(const CsvCell& cell) {
    std::vector<std::string> known(kOfLayer.begin(), kOfLayer.end());
    known.insert(known.end(), kOfBoundary.begin(), kOfBoundary.end());
    const std::size_t colon = cell.text.find(':');
    const std::string rest = colon == std::string::npos ? "" : cell.text.substr(colon);
    for (const char* key : kOfProcessor) known.push_back(key + (rest.empty() ? ":PROCESSOR" : rest));
    const bool of_two = std::count(rest.begin(), rest.end(), ':') == 2;
    known.push_back(kTransfer + (of_two ? rest : ":FROM:TO"));
    const std::string meant = text::nearest(cell.text, known);
    std::string all;
    for (const std::string& name : known) all += (all.empty() ? "" : ", ") + name;
    complain(cell, "", "unknown column " + text::in_quotes(cell.text),
             meant.empty() ? "known are: " + all : "did you mean `" + meant + "`?");
  }

  void add_processor(const LayerColumn& column, const CsvCell& cell) {
    places_["/processors/" + std::to_string(processors_.size())] = place_of(cell, "");
    processors_.push_back({column.from, cell, false});
  }

  // Every other column of a processor goes with one of its times.
  void check_processors(const CsvRow& header) {
    for (const LayerColumn& column : columns_) {
      for (const std::string& processor : {column.from, column.to}) {
        const bool known = processor.empty() ||
                           std::any_of(processors_.begin(), processors_.end(),
                                       [&](const TimedProcessor& each) { return each.id == processor; });
        if (known) continue;
        complain(header[column.at], "", "there is no column " + text::in_quotes("seconds:" + processor),
                 "without times on " + text::in_quotes(processor) + " nothing is placed there");
      }
    }
  }

  void complain_of_processors_without_times() {
    for (const TimedProcessor& processor : processors_) {
      if (processor.has_times) continue;
      complain(processor.cell, "", "no layer has a time on " + text::in_quotes(processor.id),
               "write what its layers take there, or remove the column");
    }
  }

  // ---- a layer

  JsonValue layer_of(const CsvRow& row, std::size_t number) {
    const std::string pointer = "/layers/" + std::to_string(number);
    const std::size_t line = row.front().line;
    places_[pointer] = place_of(row.front(), "");
    std::vector<JsonMember> members;
    if (!has_names_) members.push_back({"name", text::text_value("layer", line)});
    for (const LayerColumn& column : columns_) {
      if (!is_among(kOfLayer, column.key)) continue;
      if (auto value = value_of(row[column.at], column, pointer + "/" + column.key))
        members.push_back({column.key, std::move(*value)});
    }
    note_times(row);
    members.push_back({"seconds", text::object_value(of_processors(row, "seconds", pointer), line)});
    std::vector<JsonMember> joules = of_processors(row, "joules", pointer);
    if (!joules.empty()) members.push_back({"joules", text::object_value(std::move(joules), line)});
    if (auto before = boundary_of(row, pointer + "/before"))
      members.push_back({"before", std::move(*before)});
    return text::object_value(std::move(members), line);
  }

  // Cells that hold no number are complained of on their own.
  void note_times(const CsvRow& row) {
    bool any = processors_.empty();  // likewise
    for (const LayerColumn& column : columns_) {
      if (column.key != "seconds" || row[column.at].text.empty()) continue;
      any = true;
      for (TimedProcessor& processor : processors_)
        processor.has_times = processor.has_times || processor.id == column.from;
    }
    if (!any) complain(row.front(), "", "the layer has a time on no processor", "write one at least");
  }

  // Absent: all its cells are empty.
  std::optional<JsonValue> boundary_of(const CsvRow& row, const std::string& pointer) {
    std::vector<JsonMember> members;
    std::vector<JsonValue> transfers;
    for (const LayerColumn& column : columns_) {
      const CsvCell& cell = row[column.at];
      if (!column.of_boundary() || cell.text.empty()) continue;
      places_.emplace(pointer, place_of(cell, column.name()));
      if (column.key == kTransfer) {
        const std::string own = pointer + "/transfers/" + std::to_string(transfers.size());
        if (auto transfer = transfer_of(cell, column, own)) transfers.push_back(std::move(*transfer));
      } else if (column.key != "apart_seconds") {
        if (auto value = value_of(cell, column, pointer + "/" + column.key))
          members.push_back({column.key, std::move(*value)});
      }
    }
    std::vector<JsonMember> apart = of_processors(row, "apart_seconds", pointer);
    const std::size_t line = row.front().line;
    if (!apart.empty()) members.push_back({"apart_seconds", text::object_value(std::move(apart), line)});
    if (!transfers.empty()) members.push_back({"transfers", text::list_value(std::move(transfers), line)});
    if (members.empty()) return std::nullopt;
    return text::object_value(std::move(members), line);
  }

  // The numbers of one key by processor; those whose cell is empty are absent.
  std::vector<JsonMember> of_processors(const CsvRow& row, const std::string& key,
                                        const std::string& pointer) {
    std::vector<JsonMember> numbers;
    for (const LayerColumn& column : columns_) {
      if (column.key != key) continue;
      const std::string own = text::child_pointer(text::child_pointer(pointer, key), column.from);
      if (auto number = number_of(row[column.at], column, own))
        numbers.push_back({column.from, std::move(*number)});
    }
    return numbers;
  }

  std::optional<JsonValue> value_of(const CsvCell& cell, const LayerColumn& column,
                                    const std::string& pointer) {
    if (column.key == "cut") return truth_of(cell, column, pointer);
    if (column.key != "name" && column.key != "tensors") return number_of(cell, column, pointer);
    if (cell.text.empty()) return std::nullopt;
    places_[pointer] = place_of(cell, column.name());
    if (column.key == "name") return text::text_value(cell.text, cell.line);
    std::vector<JsonValue> tensors;
    for (std::size_t at = 0; at <= cell.text.size();) {
      const std::size_t end = std::min(cell.text.find(';', at), cell.text.size());
      const std::size_t first = std::min(cell.text.find_first_not_of(' ', at), end);
      std::string name = cell.text.substr(first, end - first);
      name.erase(name.find_last_not_of(' ') + 1);
      if (!name.empty()) tensors.push_back(text::text_value(std::move(name), cell.line));
      at = end + 1;
    }
    return text::list_value(std::move(tensors), cell.line);
  }

  // Absent: an empty cell, or text, which is complained of.
  std::optional<JsonValue> number_of(const CsvCell& cell, const LayerColumn& column,
                                     const std::string& pointer) {
    if (cell.text.empty()) return std::nullopt;
    places_[pointer] = place_of(cell, column.name());
    if (const auto number = text::number_in_cell(cell.text)) return text::number_value(*number, cell.line);
    complain(cell, column.name(), "must be a number, but is the text " + text::in_quotes(cell.text),
             column.key == kTransfer ? "seconds, or `impossible`" : text::hint_for_number(cell.text));
    return std::nullopt;
  }

  // Spreadsheets write TRUE and FALSE.
  std::optional<JsonValue> truth_of(const CsvCell& cell, const LayerColumn& column,
                                    const std::string& pointer) {
    if (cell.text.empty()) return std::nullopt;
    places_[pointer] = place_of(cell, column.name());
    for (const bool truth : {false, true}) {
      const std::string small = truth ? "true" : "false", large = truth ? "TRUE" : "FALSE";
      if (cell.text == small || cell.text == large) return text::boolean_value(truth, cell.line);
    }
    complain(cell, column.name(), "must be true or false, but is " + text::in_quotes(cell.text), "");
    return std::nullopt;
  }

  std::optional<JsonValue> transfer_of(const CsvCell& cell, const LayerColumn& column,
                                       const std::string& pointer) {
    std::vector<JsonMember> members = {{"from", text::text_value(column.from, cell.line)},
                                       {"to", text::text_value(column.to, cell.line)}};
    if (cell.text == kImpossible) {
      members.push_back({"allowed", text::boolean_value(false, cell.line)});
    } else if (auto seconds = number_of(cell, column, pointer)) {
      members.push_back({"seconds", std::move(*seconds)});
    } else {
      return std::nullopt;
    }
    places_[pointer] = place_of(cell, column.name());
    return text::object_value(std::move(members), cell.line);
  }

  // ---- the document

  JsonValue document_of(std::vector<JsonValue> layers) {
    std::vector<JsonMember> top = {{"format", text::text_value(kLayerFormat)}};
    const auto add_text = [&](const char* key, const std::string& value) {
      if (!value.empty()) top.push_back({key, text::text_value(value)});
    };
    add_text("network", context_.network);
    add_text("model", context_.model);
    add_text("sha256", context_.sha256);
    add_text("source", "saccade import of " + std::filesystem::path(name_).filename().string());
    add_text("transfers_paid_by", context_.paid_by);
    std::vector<JsonValue> processors;
    for (const TimedProcessor& each : processors_)
      processors.push_back(text::object_value({{"id", text::text_value(each.id, each.cell.line)}}));
    top.push_back({"processors", text::list_value(std::move(processors))});
    add_options(top);
    top.push_back({"layers", text::list_value(std::move(layers))});
    return text::object_value(std::move(top));
  }

  void add_options(std::vector<JsonMember>& top) {
    places_["/transfers_paid_by"] = "--paid-by";
    places_["/links"] = "--link";
    places_["/whole"] = "--whole";
    std::vector<JsonValue> links;
    for (const LayerTableContext::Link& link : context_.links) {
      links.push_back(text::object_value({{"from", text::text_value(link.from)},
                                          {"to", text::text_value(link.to)},
                                          {"fixed_seconds", text::number_value(link.fixed_seconds)},
                                          {"seconds_per_byte", text::number_value(link.seconds_per_byte)}}));
    }
    if (!links.empty()) top.push_back({"links", text::list_value(std::move(links))});
    std::vector<JsonMember> whole;
    for (const LayerTableContext::Whole& each : context_.whole)
      whole.push_back(
          {each.processor, text::object_value({{"frame_time_seconds", text::number_value(each.seconds)}})});
    if (!whole.empty()) top.push_back({"whole", text::object_value(std::move(whole))});
  }

  struct TimedProcessor {
    std::string id;
    CsvCell cell;  // of the header
    bool has_times = false;
  };

  const std::string& name_;
  const LayerTableContext& context_;
  std::vector<LayerColumn> columns_;  // those that are known
  std::vector<TimedProcessor> processors_;
  bool has_names_ = false;
  std::map<std::string, std::string> places_;  // by pointer
  text::JsonReport report_;
};

}  // namespace

Result<ImportedLayers> import_layers_text(std::string_view text, const std::string& name,
                                          const LayerTableContext& context) {
  const auto rows = text::parse_csv(text, name);
  if (!rows) return rows.errors();
  return LayerTable(name, context).read(rows.value());
}

Result<ImportedLayers> import_layers(const std::filesystem::path& path, const LayerTableContext& context) {
  const auto text = text::read_text_file(path, kMostLayerTableMebibytes);
  if (!text) return text.errors();
  return import_layers_text(text.value(), path.string(), context);
}

}  // namespace saccade::config
