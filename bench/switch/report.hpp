// What `saccade bench switch` reports, and how it is written: tables, JSON, CSV, charts, Markdown.
// Threads: any. Errors: Result.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "bench/report.hpp"
#include "bench/sheet.hpp"
#include "bench/switch/course.hpp"
#include "bench/switch/long_run.hpp"
#include "bench/switch/recording.hpp"

namespace saccade::bench {

struct Part {  // one way to serve and load
  std::string name;
  Recording recording;
  RunFigures figures;
  bool product = true;
};

struct PairFigures {               // 99th percentiles in stretches with loads and without
  double inference_without = 0.0;  // of inference time / the task's median without loads
  double inference_with = 0.0;
  double latency_without_ms = 0.0;
  double latency_with_ms = 0.0;
};

struct LoadFigures {
  std::vector<PairFigures> pairs;
  std::optional<double> inference_ratio;  // medians of the pairs' ratios; absent: no pair
  std::optional<double> latency_ratio;
  std::size_t loads = 0;
  std::size_t holds = 0;
  double held_ms = 0.0;
};
[[nodiscard]] LoadFigures figures(const LoadPairs& pairs);

struct SwitchReport {
  Provenance provenance;
  std::string kind;  // the bench and its option, which names its files and its part of the documentation
  std::string scenario;
  std::string engines;  // backend and version
  std::vector<Part> parts;
  std::optional<LoadFigures> loads;
  std::optional<LongRun> long_run;  // alone
};

[[nodiscard]] std::vector<FigureCheck> checks(const SwitchReport& report);
[[nodiscard]] nlohmann::ordered_json to_json(const SwitchReport& report);
void print_tables(const SwitchReport& report, std::ostream& out);
[[nodiscard]] std::string markdown(const SwitchReport& report);
// switch.json, switch.csv (a line per way and task) and a chart of the gaps at switches (switch-gaps.*); of
// the long run switch-long.json, of the sweep switch-sweep.json and its own table and chart. Notes (no
// gnuplot) go to `err`.
[[nodiscard]] Status write_files(const SwitchReport& report, const std::filesystem::path& folder,
                                 std::ostream& err);

}  // namespace saccade::bench
