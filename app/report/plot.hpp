// Charts as files: STEM.csv with the numbers, STEM.gp, which draws them and can be edited and run again by
// hand, and, if gnuplot is installed, STEM.png and STEM.svg. Without gnuplot the first two are still written
// and the result says how to get the pictures.
// Text is shown verbatim; a line break in it becomes a space. Values are finite.
// Order: fill a Chart or BarChart, write it.
// Threads: plain values; two writers of one stem must not run at once. Errors: Result.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace saccade::app {

struct Series {
  enum class Style { points, lines, steps };
  std::string name;
  Style style = Style::points;
  std::vector<double> x;
  std::vector<double> y;  // as many as x
  // A band around y; both empty or as many as x. Drawn as bars at points, shaded along lines.
  std::vector<double> low = {};
  std::vector<double> high = {};
  std::vector<std::string> labels = {};  // a word next to each point; empty or as many as x
  bool muted = false;                    // grey, as a background for other series
};

struct Chart {
  std::string title;
  std::string x_label;  // with the unit: "frame time (ms)"
  std::string y_label;
  bool x_log = false;  // values <= 0 are then not drawn
  bool y_log = false;
  std::optional<double> y_from = std::nullopt;  // absent = fitted to the values
  std::optional<double> y_to = std::nullopt;
  bool legend = true;
  std::vector<Series> series;  // drawn in this order
};

struct BarSeries {
  std::string name;
  std::vector<std::optional<double>> values;  // one per group; absent = no bar
};

// Bars side by side in groups, from 0.
struct BarChart {
  std::string title;
  std::string y_label;
  std::vector<std::string> groups;
  std::vector<BarSeries> series;
};

struct Plotted {
  std::vector<std::filesystem::path> files;  // the files written: csv, gp, then the pictures
  std::string note;                          // how to get pictures; empty = they were drawn
};

// $PATH of this process.
[[nodiscard]] std::string program_search_path();

// `stem` is a path without extension in an existing folder. gnuplot is looked for on `search_path`.
[[nodiscard]] Result<Plotted> write_chart(const Chart& chart, const std::filesystem::path& stem,
                                          const std::string& search_path = program_search_path());
[[nodiscard]] Result<Plotted> write_chart(const BarChart& chart, const std::filesystem::path& stem,
                                          const std::string& search_path = program_search_path());

}  // namespace saccade::app
