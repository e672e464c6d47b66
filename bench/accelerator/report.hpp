// The report of `saccade bench accelerator`, as tables and as JSON. Threads: plain values and functions.
#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "bench/accelerator/measurement.hpp"
#include "bench/accelerator/networks.hpp"
#include "bench/report.hpp"

namespace saccade::bench {

struct LoadsBeside {
  std::string name;    // "graphs", "plain, a load every 250 ms"
  bool asked = false;  // whether the bounds are asked of it
  AcceleratorFigures figures;
};

struct DeviceReport {
  std::string name;  // "fake", "cuda"
  std::vector<LoadsBeside> beside;
  std::optional<TwoEngines> pair;
  std::optional<double> rest_watts;          // without a context
  std::optional<double> rest_context_watts;  // with one
  NetworkFigures networks;
  Errors refused;    // variants that the device does not load, which are not among those loaded beside
  int left_out = 0;  // of the other measurements, for want of time
};

struct HandOver {
  double own_thread_us = 0.0;  // medians
  double same_thread_us = 0.0;
};

struct AcceleratorReport {
  Errors missing;  // for the card
  double limit_seconds = 0.0;
  std::vector<DeviceReport> devices;
  HandOver hand_over;
  int hand_overs = 0;
};

void print_report(const AcceleratorReport& report, std::ostream& out);
[[nodiscard]] nlohmann::ordered_json to_json(const AcceleratorReport& report, const Provenance& from);

}  // namespace saccade::bench
