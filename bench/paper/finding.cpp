#include "bench/paper/finding.hpp"

#include <cstdio>
#include <string_view>

#include "app/report/table.hpp"

namespace saccade::bench {
namespace {

using nlohmann::ordered_json;

constexpr const char* kModelled = " (energy modelled)";

std::string fixed(double value, int digits) {
  char text[64];
  const int length = std::snprintf(text, sizeof text, "%.*f", digits, value);
  if (length <= 0) return "";
  const std::string_view all(text, static_cast<std::size_t>(length));
  const bool zero = all.find_first_not_of("-0.") == std::string_view::npos;
  return std::string(zero && all.front() == '-' ? all.substr(1) : all);  // nothing has no sign
}

std::string full(double value) { return ordered_json(value).dump(); }

std::string titled(const std::string& title, bool modelled) { return title + (modelled ? kModelled : ""); }

std::string without_commas(std::string text) {
  for (char& c : text) {
    if (c == ',') c = ';';
  }
  return text;
}

std::string with_title(const FindingTable& table) {
  return "**" + titled(table.title, table.modelled_energy) + "**\n\n" + markdown(table) + '\n';
}

}  // namespace

std::string markdown(const FindingTable& table) {
  std::string text = markdown_row(table.columns);
  std::string rule = "|";
  for (std::size_t i = 0; i < table.columns.size(); ++i) rule += i == 0 ? "---|" : "--:|";
  text += rule + '\n';
  for (const std::vector<Cell>& row : table.rows) {
    std::vector<std::string> cells;
    for (const Cell& cell : row) cells.push_back(cell.text);
    text += markdown_row(cells);
  }
  return text;
}

Cell word(std::string text) { return {std::move(text), std::nullopt}; }
Cell number(double value, int digits) { return {fixed(value, digits), value}; }
Cell percent(double share, int digits) { return {app::percent(share, digits), share}; }
Cell scaled(double value, double factor, int digits) { return {fixed(value * factor, digits), value}; }
Cell absent() { return {"–", std::nullopt}; }
Cell percent(const std::optional<double>& share, int digits) {
  return share ? percent(*share, digits) : absent();
}

ordered_json to_json(const Finding& finding) {
  ordered_json comparisons = ordered_json::array(), requirements = ordered_json::array();
  for (const Comparison& each : finding.comparisons) {
    comparisons.push_back({{"what", each.what}, {"paper", each.paper}, {"ours", each.ours}});
  }
  for (const Requirement& each : finding.requirements) {
    requirements.push_back({{"what", each.what}, {"found", each.found}, {"met", each.met}});
  }
  ordered_json tables = ordered_json::object();
  for (const FindingTable& table : finding.tables) {
    ordered_json rows = ordered_json::array();
    for (const std::vector<Cell>& row : table.rows) {
      ordered_json object = ordered_json::object();
      for (std::size_t i = 0; i < row.size(); ++i) {
        const Cell& cell = row[i];
        ordered_json value = nullptr;
        if (cell.value) {
          value = *cell.value;
        } else if (cell.text != absent().text) {
          value = cell.text;
        }
        object[table.columns[i]] = value;
      }
      rows.push_back(std::move(object));
    }
    tables[table.name] = {
        {"title", table.title},
        {"energy", table.modelled_energy ? ordered_json("modelled") : ordered_json(nullptr)},
        {"rows", std::move(rows)}};
  }
  return {{"experiment", finding.name},   {"title", finding.title},       {"about", finding.about},
          {"comparisons", comparisons},   {"requirements", requirements}, {"remarks", finding.remarks},
          {"breaches", finding.breaches}, {"tables", std::move(tables)}};
}

std::string csv(const FindingTable& table, const Provenance& provenance) {
  std::vector<std::string> titles;
  for (const std::string& column : table.columns) titles.push_back(without_commas(column));
  if (table.modelled_energy) titles.push_back("energy source");
  Csv file(provenance, titles);
  for (const std::vector<Cell>& row : table.rows) {
    std::vector<std::string> cells;
    for (const Cell& cell : row) {
      cells.push_back(cell.value                   ? full(*cell.value)
                      : cell.text == absent().text ? std::string()
                                                   : without_commas(cell.text));
    }
    if (table.modelled_energy) cells.emplace_back("modelled");
    file.add_row(cells);
  }
  return file.text();
}

std::string markdown(const Finding& finding, const std::string& images) {
  std::string text = "## " + finding.title + "\n\n" + finding.about + "\n\n";
  if (!finding.comparisons.empty()) {
    text += markdown_row({"", "paper", "ours"}) + "|---|--:|--:|\n";
    for (const Comparison& each : finding.comparisons)
      text += markdown_row({each.what, each.paper, each.ours});
    text += '\n';
  }
  for (const Requirement& each : finding.requirements) {
    text += "- " + each.what + ": " + each.found + (each.met ? " – met" : " – **not met**") + "\n";
  }
  if (!finding.requirements.empty()) text += '\n';
  for (const std::string& remark : finding.remarks) text += remark + "\n\n";
  for (const std::string& breach : finding.breaches) text += "**Broken:** " + breach + "\n\n";
  for (const FindingTable& table : finding.tables) {
    if (table.in_report) text += with_title(table);
  }
  if (images.empty()) return text;
  for (const Figure& figure : finding.figures) {
    const std::string title = std::visit([](const auto& chart) { return chart.title; }, figure.chart);
    text +=
        "![" + titled(title, figure.modelled_energy) + "](" + images + "/paper-" + figure.name + ".svg)\n\n";
  }
  return text;
}

Result<std::string> write_files(const Finding& finding, const Provenance& provenance,
                                const std::filesystem::path& folder, const std::string& prefix) {
  Errors errors;
  const auto collect = [&errors](const auto& result) {
    if (!result) errors.insert(errors.end(), result.errors().begin(), result.errors().end());
    return result.ok();
  };
  ordered_json whole = to_json(finding);
  whole["provenance"] = to_json(provenance);
  collect(write_text(folder / (prefix + finding.name + ".json"), whole.dump(2) + '\n'));
  for (const FindingTable& table : finding.tables) {
    collect(write_text(folder / (prefix + table.name + "-table.csv"), csv(table, provenance)));
  }
  std::string note;
  for (const Figure& figure : finding.figures) {
    const std::filesystem::path stem = folder / (prefix + figure.name);
    const auto written = std::visit(
        [&](auto chart) {
          chart.title = titled(chart.title, figure.modelled_energy);
          return app::write_chart(chart, stem);
        },
        figure.chart);
    if (collect(written)) note = written.value().note;
  }
  if (!errors.empty()) return errors;
  return note;
}

}  // namespace saccade::bench
