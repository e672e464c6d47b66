#include "service/fleet/planner_metrics.hpp"

#include <nlohmann/json.hpp>

namespace saccade::service {
namespace {

// The shortest that is read back as the same.
std::string metric_number(double value) { return nlohmann::json(value).dump(); }

}  // namespace

void MetricsText::family(const std::string& name, const char* type, const char* help) {
  text_ += "# HELP saccade_fleet_" + name + " " + help + "\n# TYPE saccade_fleet_" + name + " " + type + "\n";
}

void MetricsText::sample(const std::string& name, double value) {
  text_ += "saccade_fleet_" + name + " " + metric_number(value) + "\n";
}

void MetricsText::gauge(const char* name, const char* help, double value) {
  family(name, "gauge", help);
  sample(name, value);
}

void MetricsText::histogram(const char* name, const char* help, const runtime::LatencyHistogram& times,
                            const MetricBounds& bounds) {
  family(name, "histogram", help);
  const std::string bucket = std::string(name) + "_bucket{le=\"";
  for (const double bound : bounds) {
    sample(bucket + metric_number(bound) + "\"}",
           static_cast<double>(times.count_up_to(to_duration(Seconds(bound)))));
  }
  sample(bucket + "+Inf\"}", static_cast<double>(times.count()));
  sample(std::string(name) + "_sum", times.sum().value());
  sample(std::string(name) + "_count", static_cast<double>(times.count()));
}

}  // namespace saccade::service
