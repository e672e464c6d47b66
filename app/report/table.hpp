// A small table for people: columns as wide as their widest cell, two spaces apart, numbers right-aligned.
// Width is counted in characters, not bytes.
// Threads: plain value.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace saccade::app {

class Table {
 public:
  enum class Align { left, right };
  struct Column {
    std::string title;
    Align align = Align::left;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // As many cells as there are columns.
  void add_row(std::vector<std::string> cells);
  void print(std::ostream& out) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Four significant digits.
[[nodiscard]] std::string short_number(double value);
// "41.2 MB"
[[nodiscard]] std::string short_bytes(double bytes);

// "97.3 %" of 0.973.
[[nodiscard]] std::string percent(double share, int digits = 1);
// "97.25 %": as many digits as short_number() gives.
[[nodiscard]] std::string short_percent(double share);

}  // namespace saccade::app
