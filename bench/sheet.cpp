#include "bench/sheet.hpp"

#include <cmath>
#include <ostream>
#include <sstream>

#include "app/table.hpp"

namespace saccade::bench {
namespace {

std::string row_of(const Cells& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + cell + " |";
  return line + '\n';
}

std::string with_digits(double value, int digits) {
  std::ostringstream text;
  text.setf(std::ios::fixed);
  text.precision(digits);
  text << value;
  return text.str();
}

std::string significant(double value) {
  std::ostringstream text;
  text.precision(5);
  text << value;
  return text.str();
}

}  // namespace

void print(const std::vector<Sheet>& sheets, std::ostream& out) {
  using Align = app::Table::Align;
  for (const Sheet& sheet : sheets) {
    std::vector<app::Table::Column> columns;
    for (std::size_t i = 0; i < sheet.titles.size(); ++i) {
      columns.push_back({sheet.titles[i], i < sheet.words ? Align::left : Align::right});
    }
    app::Table table(columns);
    for (const Cells& row : sheet.rows) table.add_row(row);
    table.print(out);
    out << '\n';
  }
}

std::string markdown(const std::vector<Sheet>& sheets) {
  std::string text;
  for (const Sheet& sheet : sheets) {
    text += "\n" + row_of(sheet.titles) + "|";
    for (std::size_t i = 0; i < sheet.titles.size(); ++i) text += i < sheet.words ? "---|" : "--:|";
    text += '\n';
    for (const Cells& row : sheet.rows) text += row_of(row);
  }
  return text + "\n";
}

std::string measured_how(const Provenance& provenance, const std::string& more) {
  return "\nMeasured " + provenance.date + " with `" + provenance.command + "`: " + one_line(provenance) +
         " (" + std::to_string(provenance.cores) + " cores), flags `" + provenance.flags + "`, " + more +
         ", seed " + std::to_string(provenance.first_seed) + ".\n";
}

nlohmann::ordered_json to_json(const std::vector<Check>& checks) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Check& check : checks) {
    list.push_back(
        {{"what", check.what},
         {"asked", check.asked},
         {"at_least", check.at_least},
         {"measured", check.measured ? nlohmann::ordered_json(*check.measured) : nlohmann::ordered_json()},
         {"met", check.met()}});
  }
  return list;
}

Sheet sheet_of(const std::vector<Check>& checks) {
  Sheet sheet{{"what is asked", "asked", "measured", "met"}};
  for (const Check& check : checks) {
    sheet.rows.push_back({check.what, (check.at_least ? ">= " : "<= ") + significant(check.asked),
                          check.measured ? significant(*check.measured) : "-", check.met() ? "yes" : "no"});
  }
  return sheet;
}

std::string fixed(const std::optional<double>& value) {
  return value ? with_digits(*value, std::abs(*value) < 10.0 ? 2 : 1) : "-";
}

std::string percent(double share, int digits) { return with_digits(100.0 * share, digits) + " %"; }

}  // namespace saccade::bench
