#include "text/csv.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "text/utf8.hpp"

namespace saccade::text {
namespace {

class CsvReader {
 public:
  CsvReader(std::string_view text, const std::string& name) : text_(text), name_(name) {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
  }

  Result<std::vector<CsvRow>> read() {
    std::vector<CsvRow> rows;
    while (!at_end()) {
      CsvRow row = read_row();
      const bool empty_line = row.size() == 1 && row[0].text.empty();
      if (!empty_line) rows.push_back(std::move(row));
    }
    if (!errors_.empty()) return errors_;
    return rows;
  }

 private:
  [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
  [[nodiscard]] char next() const { return text_[at_]; }
  [[nodiscard]] bool at_line_end() const {
    return at_end() || next() == '\n' || (next() == '\r' && text_.substr(at_ + 1).starts_with('\n'));
  }

  void take() {
    const auto byte = static_cast<unsigned char>(next());
    ++at_;
    if (byte == '\n') {
      ++line_;
      column_ = 1;
    } else if ((byte & 0xC0U) != 0x80U) {
      ++column_;
    }
  }

  void complain(std::size_t line, std::size_t column, std::string what, std::string hint) {
    errors_.push_back({place_in(name_, line, column), std::move(what), std::move(hint)});
  }

  CsvRow read_row() {
    CsvRow row;
    for (;;) {
      row.push_back(read_cell());
      if (at_line_end()) break;
      take();  // the comma
    }
    while (!at_end() && next() != '\n') take();
    if (!at_end()) take();
    return row;
  }

  CsvCell read_cell() {
    while (!at_line_end() && (next() == ' ' || next() == '\t')) take();
    CsvCell cell{"", line_, column_};
    if (!at_end() && next() == '"') {
      read_quoted(cell);
    } else {
      read_plain(cell);
    }
    if (!is_utf8(cell.text)) {
      complain(cell.line, cell.column, "the text is not UTF-8", "save the file as UTF-8");
    }
    return cell;
  }

  void read_plain(CsvCell& cell) {
    bool told = false;
    while (!at_line_end() && next() != ',') {
      if (next() == '"' && !told) {
        complain(line_, column_, "a quote stands inside a cell that does not begin with one",
                 "quote the whole cell and double the quotes in it");
        told = true;
      }
      cell.text += next();
      take();
    }
    cell.text.erase(cell.text.find_last_not_of(" \t") + 1);
  }

  void read_quoted(CsvCell& cell) {
    take();
    for (;; take()) {
      if (at_end()) {
        complain(cell.line, cell.column, "the quote that begins here is never closed", "");
        return;
      }
      if (next() == '"') {
        take();
        if (at_end() || next() != '"') break;
      }
      cell.text += next();
    }
    while (!at_line_end() && (next() == ' ' || next() == '\t')) take();
    if (at_line_end() || next() == ',') return;
    complain(line_, column_, "there is text after the closing quote",
             "double the quotes inside a quoted cell");
    while (!at_line_end() && next() != ',') take();
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t column_ = 1;
  Errors errors_;
};

}  // namespace

Result<std::vector<CsvRow>> parse_csv(std::string_view text, const std::string& name) {
  return CsvReader(text, name).read();
}

std::optional<double> number_in_cell(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;  // one sign; from_chars itself takes no second plus
  }
  double value = 0.0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

std::string hint_for_number(const std::string& text) {
  static constexpr std::array kAbsent = {"na", "n/a", "nan", "null", "none", "-", "--", "?", "inf", "-inf"};
  std::string small = text;
  std::transform(small.begin(), small.end(), small.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  if (std::find(kAbsent.begin(), kAbsent.end(), small) != kAbsent.end()) {
    return "leave the cell empty where nothing was measured";
  }
  if (small.ends_with('%')) return "write shares of 1 and no sign: 0.95, not 95 %";
  if (small.find(',') != std::string::npos) return "write a decimal point and no thousands separators";
  if (small.find_first_not_of("0123456789.+-e") != std::string::npos)
    return "write the bare number, in the unit of the column's name";
  return "";
}

std::string place_in(const std::string& name, std::size_t line, std::size_t column) {
  return name + ":" + std::to_string(line) + ":" + std::to_string(column);
}

}  // namespace saccade::text
