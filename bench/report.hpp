// What every report of a bench says beside its figures, so that a figure can be found again: commit,
// compiler, flags, machine, date, seeds. And the helpers that all reports share.
// Threads: any. Errors: Result, with the path.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace saccade::bench {

struct Provenance {
  std::string commit;    // of the sources that were built; "-dirty" when they differ from it
  std::string compiler;  // "GCC 12.2.0"
  std::string flags;
  std::string machine;
  unsigned cores = 0;  // that the machine shows
  std::string date;    // "2026-11-21T20:15:00Z"
  std::string command;
  std::uint64_t first_seed = 1;
};

// "saccade bench paper --out x"
[[nodiscard]] std::string command_of(const std::string& bench, const std::vector<std::string>& args);
// `command`: as it was given. The rest is asked of the build and the system.
[[nodiscard]] Provenance provenance(const std::string& command, std::uint64_t first_seed);
[[nodiscard]] nlohmann::ordered_json to_json(const Provenance& provenance);
// Refuses `--docs` and `--section` among the arguments of a bench when the sources that were built differ
// from their commit, or it is not known: figures in the documentation must be found again.
[[nodiscard]] Status may_publish(const std::string& commit, const std::vector<std::string>& args);
[[nodiscard]] const char* built_commit();
// One line for a title: "commit 0123, GCC 12.2.0, CPU".
[[nodiscard]] std::string one_line(const Provenance& provenance);

[[nodiscard]] nlohmann::ordered_json json_or_null(const std::optional<double>& value);

// CSV with the provenance as lines that begin with "#". Cells hold no comma.
class Csv {
 public:
  Csv(const Provenance& provenance, const std::vector<std::string>& titles);
  void add_row(const std::vector<std::string>& cells);
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Makes the folder where it is missing.
[[nodiscard]] Status write_text(const std::filesystem::path& path, const std::string& text);

// Replaces what stands in `file` between the lines "<!-- NAME: begin ... -->" and "<!-- NAME: end -->".
[[nodiscard]] Status replace_between_markers(const std::filesystem::path& file, const std::string& name,
                                             const std::string& text);

// "| a | b |" and the end of the line.
[[nodiscard]] std::string markdown_row(const std::vector<std::string>& cells);

// The value below which `share` of the values lie: one of the values, the lower of two neighbours.
// `sorted` ascending, not empty.
[[nodiscard]] double quantile(const std::vector<double>& sorted, double share);

// One line on a terminal with what is done, of how much, and the time left; nothing when piped.
class Progress {
 public:
  explicit Progress(std::ostream& err);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `share` of all that is to be done, 0 to 1.
  void show(const std::string& what, double share);

 private:
  std::ostream& err_;
  bool on_terminal_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point shown_{};
};

}  // namespace saccade::bench
