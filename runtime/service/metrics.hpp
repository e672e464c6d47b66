// What a scrape shows, as one copy of the books taken under one lock, so that in every scrape
//   received = processed + dropped + in flight
// holds for every task (what was rejected was never received); and how that becomes Prometheus' text. What is
// not known is absent. Units: SI. Threads: plain values and a function without state.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/quantity.hpp"
#include "runtime/energy_reading.hpp"
#include "runtime/frame_ledger.hpp"
#include "runtime/switch_totals.hpp"

namespace saccade::runtime {

struct TaskMetrics {
  std::string id;
  TaskFrames frames;
  Fps demanded{0.0};
  Fps granted{0.0};
  std::optional<double> accuracy;  // of the variant that serves
  std::optional<double> accuracy_floor;
  std::string variant;  // empty: off
  bool source_connected = true;
};

struct ProcessorMetrics {
  std::string id;
  std::optional<double> budget_used;  // busy time / time budget, lately
};

struct MetricsSnapshot {
  std::string version;
  std::vector<TaskMetrics> tasks;
  std::vector<ProcessorMetrics> processors;
  std::shared_ptr<const SwitchTotals> switches = std::make_shared<SwitchTotals>();  // never null
  std::vector<std::pair<std::string, std::int64_t>> solves;                         // by the plan's status
  LatencyHistogram solve_times;
  bool infeasible = false;
  std::vector<std::pair<std::string, std::int64_t>> fallbacks;  // by policy
  std::optional<EnergyReading> energy;
  Bytes memory_used{0.0};
  std::optional<Bytes> memory_limit;
  std::int64_t reloads = 0;
  std::int64_t failed_reloads = 0;
  std::optional<bool> last_reload_successful;  // absent: none yet
};

inline constexpr const char* kMetricsType = "text/plain; version=0.0.4; charset=utf-8";
[[nodiscard]] std::string metrics_text(const MetricsSnapshot& snapshot);

}  // namespace saccade::runtime
