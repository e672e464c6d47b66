// What `saccade bench fleet` measures on one modelled fleet, as tables, as JSON, and against what is asked.
// Threads: plain values and functions.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/fleet/instances.hpp"
#include "bench/sheet.hpp"

namespace saccade::bench {

struct Instance {
  const char* name;
  FleetSize size;
  double seconds;  // asked of the first plan
  double gap;      // asked of it, in percent of the value
};

struct Figures {
  const Instance* instance = nullptr;
  double seconds = 0.0;  // of the first full plan, with reading the problem into the model
  double value = 0.0;    // mean relative accuracy, weighted
  double bound = 0.0;
  double off = 0.0;        // cameras without a box
  double off_bound = 0.0;  // weight that is off in every assignment
  double improve_seconds = 0.0;
  double improved = 0.0;             // value after it
  std::vector<double> loss_seconds;  // sorted
  double orphans_off = 0.0;
  double certify_seconds = 0.0;
  std::size_t certified = 0;
  std::size_t boxes = 0;
  double change_moves = 0.0;
  double change_gap = 0.0;
  double change_seconds = 0.0;
  struct Naive {
    const char* name;
    double value;
    double off;
    double lowered;
  };
  std::vector<Naive> naive;
  std::vector<std::string> wrong;

  [[nodiscard]] double gap(double of) const { return (bound - of) / of; }
};

[[nodiscard]] std::vector<Sheet> sheets_of(const std::vector<Figures>& all);
[[nodiscard]] std::vector<FigureCheck> checks_of(const std::vector<Figures>& all);
[[nodiscard]] nlohmann::ordered_json json_of(const Figures& figures);

}  // namespace saccade::bench
