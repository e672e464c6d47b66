// The contents of a scrape: the status of one instant, so that in every scrape
//   received = processed + dropped + in flight
// holds for every task (rejected frames were never received); and its conversion to Prometheus' text format.
// Unknown values are absent. Units: SI. Threads: plain values and a function without state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "results/delivery_account.hpp"
#include "runtime/frames/latency_histogram.hpp"
#include "runtime/machine/thermals.hpp"
#include "runtime/run/run_hooks.hpp"
#include "service/api/fleet_facts.hpp"
#include "service/api/result_feed.hpp"

namespace saccade::service {

struct RuleFacts {
  std::string rule;
  std::string task;
  bool active = false;
  std::int64_t changes = 0;  // how often it started or stopped being active
};

struct MetricsSnapshot {
  runtime::RunStatus status;
  std::string version;
  std::vector<std::optional<double>> budget_used;            // per processor: recent busy time / time budget
  std::vector<std::pair<std::string, std::int64_t>> solves;  // by the plan's status
  runtime::LatencyHistogram solve_times;
  bool infeasible = false;
  std::optional<Bytes> process_memory;  // measured; absent where the system does not tell
  std::vector<runtime::Temperature> temperatures = {};
  std::vector<std::pair<std::string, std::int64_t>> fallbacks;  // by policy
  std::int64_t reloads = 0;
  std::int64_t failed_reloads = 0;
  std::optional<bool> last_reload_successful;        // absent: none yet
  std::vector<results::DeliveryAccount> deliveries;  // of each sink, at one instant
  std::vector<RuleFacts> rules;                      // by rule and task
  ResultFeed::Counts result_streams;
  std::optional<FleetFacts> fleet;  // absent: the box is in none
};

inline constexpr const char* kMetricsType = "text/plain; version=0.0.4; charset=utf-8";
[[nodiscard]] std::string metrics_text(const MetricsSnapshot& snapshot);

}  // namespace saccade::service
