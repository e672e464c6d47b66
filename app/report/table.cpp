#include "app/report/table.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ostream>

#include "base/check.hpp"

namespace saccade::app {
namespace {

std::size_t width(const std::string& text) {  // UTF-8: every byte that does not continue a character
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace

void Table::add_row(std::vector<std::string> cells) {
  SACCADE_CHECK(cells.size() == columns_.size());
  rows_.push_back(std::move(cells));
}

void Table::print(std::ostream& out) const {
  std::vector<std::string> titles;
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    titles.push_back(columns_[i].title);
    widths.push_back(width(columns_[i].title));
    for (const auto& row : rows_) widths[i] = std::max(widths[i], width(row[i]));
  }
  const auto print_row = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string fill(widths[i] - width(cells[i]), ' ');
      if (i > 0) line += "  ";
      line += columns_[i].align == Align::right ? fill + cells[i] : cells[i] + fill;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
  };
  print_row(titles);
  for (const auto& row : rows_) print_row(row);
}

std::string short_number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", value);
  return text.data();
}

std::string short_bytes(double bytes) {
  const std::array<const char*, 4> units = {"B", "kB", "MB", "GB"};
  std::size_t unit = 0;
  while (bytes >= 1000.0 && unit + 1 < units.size()) {
    bytes /= 1000.0;
    ++unit;
  }
  return short_number(bytes) + " " + units[unit];
}

std::string percent(double share, int digits) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.*f %%", digits, share * 100.0);
  return text;
}

std::string short_percent(double share) { return short_number(100.0 * share) + " %"; }

}  // namespace saccade::app
