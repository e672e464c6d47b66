// What a fleet costs beside the work itself, as the system counts it (/proc/PID/stat, smaps_rollup and
// status), of the programs as they are and a real etcd. The agent: `saccade run` that serves a few cameras
// which its fleet gives it, against one that has the same cameras as tasks of its own, in pairs that take
// turns in who goes first. The planner: `saccade fleet run` from its start until every camera of a modelled
// fleet has a box (bench/fleet/played_fleet.hpp), and afterwards. Threads: one. Errors: Result.
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/quantity.hpp"
#include "base/result.hpp"
#include "bench/fleet/instances.hpp"
#include "bench/sheet.hpp"

namespace saccade::bench {

struct OverheadSizes {
  std::size_t pairs = 7;
  std::size_t planners = 3;  // one after the other, each on a store of its own
  FleetSize fleet = {};
  Duration settle = std::chrono::seconds(10);  // before anything is read
  Duration measured = std::chrono::seconds(60);
  Duration patience = std::chrono::minutes(10);  // until every camera has a box
};

// To see that it works.
inline constexpr OverheadSizes kQuickOverhead{1,
                                              1,
                                              {200, 10, Sites::anywhere, 1},
                                              std::chrono::seconds(1),
                                              std::chrono::seconds(3),
                                              std::chrono::minutes(2)};

struct ProcessCost {
  double cpu = 0.0;  // of a core
  Bytes resident{};
  Bytes anonymous{};
};
struct AgentPair {
  ProcessCost with;
  ProcessCost without;
};
struct PlannerCost {
  double seconds = 0.0;      // until every camera had a box, wall clock
  double cpu_seconds = 0.0;  // by then
  Bytes peak{};              // resident, of all its time
  ProcessCost after;
};
struct Overhead {
  FleetSize fleet;
  std::vector<AgentPair> agents;
  std::vector<PlannerCost> planners;
};

using ToldProgress = std::function<void(const std::string& what, double share)>;
[[nodiscard]] Result<Overhead> measure_overhead(const OverheadSizes& sizes, std::uint64_t seed,
                                                const ToldProgress& progress);

// Every measurement, and their medians.
[[nodiscard]] std::vector<Sheet> sheets_of(const Overhead& overhead);
[[nodiscard]] nlohmann::ordered_json to_json(const Overhead& overhead);
// Of the agent; of the planner if the fleet is the one that is asked for.
[[nodiscard]] std::vector<FigureCheck> checks_of(const Overhead& overhead);

}  // namespace saccade::bench
