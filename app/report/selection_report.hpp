// What selections keep of one profile set, for people (tables, charts) and machines (JSON).
// Threads: plain values and functions without state.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/report/plot.hpp"
#include "app/report/selection_view.hpp"
#include "base/result.hpp"
#include "profiles/profile_set.hpp"

namespace saccade::app {

struct SelectionReport {
  std::string file;
  profiles::ProfileSetPtr set;
  int regions = 1;
  SetView view;
  std::vector<std::filesystem::path> drawn = {};  // files of the charts
};

// One line per selection, then one per variant with a mark where it is kept.
void print_report(const SelectionReport& report, std::ostream& out);
[[nodiscard]] nlohmann::ordered_json to_json(const SelectionReport& report);
// Accuracy against frame time with the kept variants highlighted; `seen` is of the report's view.
[[nodiscard]] Chart chart_of(const SelectionReport& report, const SelectionView& seen);
// Measures that a selection compares and some variants lack, one line each.
[[nodiscard]] Errors absent_measures(const SelectionReport& report);

}  // namespace saccade::app
