// What `saccade bench results` reports, and how it is written: tables, JSON, Markdown.
// Threads: any. Errors: Result.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/report.hpp"
#include "bench/results/experiments.hpp"
#include "bench/sheet.hpp"

namespace saccade::bench {

struct ResultsReport {
  Provenance provenance;
  std::string scenario;
  std::string engines;                                    // backend and version
  std::optional<std::vector<HandOverFigures>> hand_over;  // those that were asked for
  std::optional<RulesFigures> rules;
  std::optional<std::vector<ArrivalFigures>> arrivals;
  std::optional<std::vector<OutageFigures>> outages;
};

[[nodiscard]] std::vector<FigureCheck> checks(const ResultsReport& report);
[[nodiscard]] nlohmann::ordered_json to_json(const ResultsReport& report);
void print_tables(const ResultsReport& report, std::ostream& out);
[[nodiscard]] std::string markdown(const ResultsReport& report);
// results.json, and results.csv: a line for every pair of runs.
[[nodiscard]] Status write_files(const ResultsReport& report, const std::filesystem::path& folder);

}  // namespace saccade::bench
