// Metrics of a planner in the text format of Prometheus (those of a box: service/api/metrics.hpp). Every name
// begins with saccade_fleet_. Threads: plain values.
#pragma once

#include <array>
#include <string>
#include <utility>

#include "runtime/frames/latency_histogram.hpp"

namespace saccade::service {

struct FleetTimes {
  runtime::LatencyHistogram requests;  // to the store, answered or failed; watches have no end
  runtime::LatencyHistogram plans;     // of the whole fleet, while this planner leads; also the next two
  runtime::LatencyHistogram moves;     // fleet/control/move_times.hpp
  runtime::LatencyHistogram failovers;
};

using MetricBounds = std::array<double, 14>;  // upper, in seconds
inline constexpr MetricBounds kShortTimes = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                             0.1,    0.25,  0.5,    1.0,   2.5,  5.0,   10.0};
inline constexpr MetricBounds kLongTimes = {0.5,  1.0,  2.5,  5.0,  7.5,   10.0,  12.5,
                                            15.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0};

class MetricsText {
 public:
  void family(const std::string& name, const char* type, const char* help);
  // Of the family that was begun last. `name`: with its labels.
  void sample(const std::string& name, double value);
  void gauge(const char* name, const char* help, double value);
  void histogram(const char* name, const char* help, const runtime::LatencyHistogram& times,
                 const MetricBounds& bounds);
  [[nodiscard]] std::string take() { return std::exchange(text_, {}); }

 private:
  std::string text_;
};

}  // namespace saccade::service
