// What an experiment found, before it is a file: figures with the paper's beside them, tables, charts.
// One form for all experiments, so that CSV, JSON, charts and the report are written once.
// Threads: plain values.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/report/plot.hpp"
#include "base/result.hpp"
#include "bench/report.hpp"

namespace saccade::bench {

struct Cell {
  std::string text;             // as people read it
  std::optional<double> value;  // in full, SI, for machines; absent: the text is the value
};
[[nodiscard]] Cell word(std::string text);
[[nodiscard]] Cell number(double value, int digits);                 // 3.14
[[nodiscard]] Cell percent(double share, int digits = 1);            // 0.5 -> "50.0 %"
[[nodiscard]] Cell scaled(double value, double factor, int digits);  // bytes as MB, seconds as ms
[[nodiscard]] Cell absent();                                         // "–"
[[nodiscard]] Cell percent(const std::optional<double>& share, int digits = 1);

struct FindingTable {
  std::string name;  // of its CSV
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;
  bool modelled_energy = false;  // said in the title
  bool in_report = true;         // false: a CSV only
};

struct Figure {
  std::string name;  // of its files
  std::variant<app::Chart, app::BarChart> chart;
  bool modelled_energy = false;  // said in the title
};

struct Comparison {  // with the paper
  std::string what;
  std::string paper;
  std::string ours;
  bool headline = false;  // one of the few that a summary shows
};

struct Requirement {
  std::string what;
  std::string found;
  bool met = false;
};

struct Finding {
  std::string name;  // of the experiment, as on the command line
  std::string title;
  std::string about;  // what was done
  std::vector<Comparison> comparisons;
  std::vector<Requirement> requirements;
  std::vector<std::string> remarks;  // what differs and why
  std::vector<FindingTable> tables;
  std::vector<Figure> figures;
  std::vector<std::string> breaches;  // what did not hold although it must
};

[[nodiscard]] nlohmann::ordered_json to_json(const Finding& finding);
[[nodiscard]] std::string csv(const FindingTable& table, const Provenance& provenance);
[[nodiscard]] std::string markdown(const FindingTable& table);  // without its title
// `images`: where the charts lie, seen from the report; empty = it shows none.
[[nodiscard]] std::string markdown(const Finding& finding, const std::string& images);

// The finding's CSV tables, JSON and charts as folder/PREFIX<name>... The note says how to get pictures, or
// is empty.
[[nodiscard]] Result<std::string> write_files(const Finding& finding, const Provenance& provenance,
                                              const std::filesystem::path& folder, const std::string& prefix);

}  // namespace saccade::bench
