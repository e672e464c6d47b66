// Tables of a bench: written once, shown as text and as Markdown; and what is asked of the figures in them.
// Threads: plain values and functions.
#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/report.hpp"

namespace saccade::bench {

using Cells = std::vector<std::string>;

struct Sheet {
  Cells titles;
  std::size_t words = 1;  // columns of words, then figures
  std::vector<Cells> rows = {};
};
void print(const std::vector<Sheet>& sheets, std::ostream& out);
[[nodiscard]] std::string markdown(const std::vector<Sheet>& sheets);
// Where and how the figures were measured, as a sentence of Markdown; `more` is what else belongs to it.
[[nodiscard]] std::string measured_how(const Provenance& provenance, const std::string& more);

struct FigureCheck {
  std::string what;
  double asked = 0.0;
  bool at_least = false;  // the figure is to be at least what is asked; else at most
  std::optional<double> measured;
  [[nodiscard]] bool met() const { return measured && (at_least ? *measured >= asked : *measured <= asked); }
};
[[nodiscard]] nlohmann::ordered_json to_json(const std::vector<FigureCheck>& checks);
[[nodiscard]] Sheet sheet_of(const std::vector<FigureCheck>& checks);

// Two digits behind the point, one from 10 on; "-" when there is none.
[[nodiscard]] std::string fixed(const std::optional<double>& value);

}  // namespace saccade::bench
