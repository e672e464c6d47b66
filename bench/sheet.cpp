#include "bench/sheet.hpp"

#include <cmath>
#include <ostream>
#include <sstream>

#include "app/report/table.hpp"
#include "bench/paper/finding.hpp"

namespace saccade::bench {
namespace {

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
    text += "\n" + markdown_row(sheet.titles) + "|";
    for (std::size_t i = 0; i < sheet.titles.size(); ++i) text += i < sheet.words ? "---|" : "--:|";
    text += '\n';
    for (const Cells& row : sheet.rows) text += markdown_row(row);
  }
  return text + "\n";
}

std::string measured_how(const Provenance& provenance, const std::string& more) {
  return "\nMeasured " + provenance.date + " with `" + provenance.command + "`: " + one_line(provenance) +
         " (" + std::to_string(provenance.cores) + " cores), flags `" + provenance.flags + "`, " + more +
         ", seed " + std::to_string(provenance.first_seed) + ".\n";
}

nlohmann::ordered_json to_json(const std::vector<FigureCheck>& checks) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const FigureCheck& check : checks) {
    list.push_back({{"what", check.what},
                    {"asked", check.asked},
                    {"at_least", check.at_least},
                    {"measured", json_or_null(check.measured)},
                    {"met", check.met()}});
  }
  return list;
}

Sheet sheet_of(const std::vector<FigureCheck>& checks) {
  Sheet sheet{{"what is asked", "asked", "measured", "met"}};
  for (const FigureCheck& check : checks) {
    sheet.rows.push_back({check.what, (check.at_least ? ">= " : "<= ") + significant(check.asked),
                          check.measured ? significant(*check.measured) : "-", check.met() ? "yes" : "no"});
  }
  return sheet;
}

std::string fixed(const std::optional<double>& value) {
  return value ? number(*value, std::abs(*value) < 10.0 ? 2 : 1).text : "-";
}

}  // namespace saccade::bench
