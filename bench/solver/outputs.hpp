// The figures of `saccade bench solver` in all their forms.
// Threads: pure but for the files. Errors: Result.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "bench/report.hpp"
#include "bench/solver/summary.hpp"

namespace saccade::bench {

struct SolverReport {
  Provenance provenance;
  Settings settings;
  std::vector<std::pair<std::string, std::string>> versions;  // contender -> version
  std::vector<std::string> missing;                           // contenders that are not installed
  std::vector<CaseSummary> cases;
  std::vector<Measured> measured;
};

[[nodiscard]] nlohmann::ordered_json to_json(const SolverReport& report);
void print_tables(const SolverReport& report, std::ostream& out);
// The same two tables for docs/benchmarks.md, with what they were measured on.
[[nodiscard]] std::string markdown(const SolverReport& report);
// solver.json, solver.csv (a line per case and solver), solver-runs.csv (a line per answer), and charts
// of time against tasks per family: *.csv, *.gp, *.png, *.svg. Notes (no gnuplot) go to `err`.
[[nodiscard]] Status write_files(const SolverReport& report, const std::filesystem::path& folder,
                                 std::ostream& err);

}  // namespace saccade::bench
