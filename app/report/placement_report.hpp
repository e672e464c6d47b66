// What strategies found for one network, side by side, for people and machines; and why the best placement is
// as it is: what binds, and what its transfers cost. Threads: plain values and functions without state.
#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "placement/strategy.hpp"

namespace saccade::app {

struct StrategyRow {
  const placement::Strategy* strategy = nullptr;
  placement::Answer answer;
};

struct PlacementReport {
  std::string network;
  const placement::Costs* costs = nullptr;  // must outlive the report
  placement::Request request;
  std::vector<StrategyRow> rows;  // "exact" among them for the gaps
  // What exact proves that no placement is better than; absent: it found none.
  [[nodiscard]] std::optional<double> bound() const;
  // The row with the least value; null: none meets the aim.
  [[nodiscard]] const StrategyRow* best() const;
};

void print_report(const PlacementReport& report, std::ostream& out);
[[nodiscard]] nlohmann::ordered_json to_json(const PlacementReport& report);

}  // namespace saccade::app
