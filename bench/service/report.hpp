// What `saccade bench service` reports, and how it is written: tables, JSON, Markdown.
// Threads: any. Errors: Result.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/report.hpp"
#include "bench/service/experiments.hpp"
#include "bench/sheet.hpp"

namespace saccade::bench {

struct ServiceReport {
  Provenance provenance;
  std::string scenario;
  std::string engines;                  // backend and version
  std::optional<AttackFigures> attack;  // those that were asked for
  std::optional<PatchFigures> patches;
  std::optional<StatusFigures> status;
  std::optional<InferFigures> infer;
};

[[nodiscard]] std::vector<FigureCheck> checks(const ServiceReport& report);
[[nodiscard]] nlohmann::ordered_json to_json(const ServiceReport& report);
void print_tables(const ServiceReport& report, std::ostream& out);
[[nodiscard]] std::string markdown(const ServiceReport& report);
// service.json, and service.csv: a line for every kind of hostile request.
[[nodiscard]] Status write_files(const ServiceReport& report, const std::filesystem::path& folder);

}  // namespace saccade::bench
