#include "runtime/service/metrics.hpp"

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <array>

namespace saccade::runtime {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Labels = std::vector<ClientMetric::Label>;

// Seconds, from an engine exchange to a load that is given up.
constexpr std::array kBounds = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                0.1,    0.25,  0.5,    1.0,   2.5,  5.0,   10.0};

class Family {
 public:
  Family(std::string name, std::string help, MetricType type) {
    family_.name = "saccade_" + std::move(name);
    family_.help = std::move(help);
    family_.type = type;
  }

  Family& add(const Labels& labels, double value) {
    ClientMetric metric;
    metric.label = labels;
    (family_.type == MetricType::Counter ? metric.counter.value : metric.gauge.value) = value;
    family_.metric.push_back(std::move(metric));
    return *this;
  }
  Family& add(const Labels& labels, std::int64_t value) { return add(labels, static_cast<double>(value)); }
  Family& add(const Labels& labels, bool value) { return add(labels, value ? 1.0 : 0.0); }
  Family& add(const Labels& labels, const std::optional<double>& value) {
    return value ? add(labels, *value) : *this;
  }
  Family& add(const Labels& labels, const LatencyHistogram& times) {
    ClientMetric metric;
    metric.label = labels;
    metric.histogram.sample_count = static_cast<std::uint64_t>(times.count());
    metric.histogram.sample_sum = times.sum().value();
    for (const double bound : kBounds) {
      const std::int64_t count = times.count_up_to(to_duration(Seconds(bound)));
      metric.histogram.bucket.push_back({static_cast<std::uint64_t>(count), bound});
    }
    family_.metric.push_back(std::move(metric));
    return *this;
  }

  // A family without a value is left out.
  void put(std::vector<MetricFamily>& into) {
    if (!family_.metric.empty()) into.push_back(std::move(family_));
  }

 private:
  MetricFamily family_;
};

class Scrape final : public prometheus::Collectable {
 public:
  explicit Scrape(const MetricsSnapshot& snapshot) : of_(snapshot) {}

  [[nodiscard]] std::vector<MetricFamily> Collect() const override {
    std::vector<MetricFamily> all;
    frames(all);
    tasks(all);
    switches(all);
    plans(all);
    device(all);
    return all;
  }

 private:
  static Family counter(const char* name, const char* help) { return {name, help, MetricType::Counter}; }
  static Family gauge(const char* name, const char* help) { return {name, help, MetricType::Gauge}; }
  static Family histogram(const char* name, const char* help) { return {name, help, MetricType::Histogram}; }

  void frames(std::vector<MetricFamily>& all) const {
    Family received = counter("frames_received_total", "Frames that came in.");
    Family processed = counter("frames_processed_total", "Frames that were answered.");
    Family dropped = counter("frames_dropped_total", "Frames that came in and were not answered, by reason.");
    Family in_flight = gauge("frames_in_flight", "Frames that wait or are being worked on.");
    Family rejected = counter("frames_rejected_total",
                              "Frames that clients sent and that were refused: the gate was full.");
    Family latency = histogram("frame_latency_seconds", "From the moment a frame was due to its answer.");
    Family inference = histogram("inference_seconds", "How much of that the engine took.");
    for (const TaskMetrics& task : of_.tasks) {
      const Labels labels = {{"task", task.id}};
      received.add(labels, task.frames.received);
      processed.add(labels, task.frames.processed);
      for (std::size_t reason = 0; reason < kDropReasons; ++reason) {
        dropped.add({{"task", task.id}, {"reason", to_string(static_cast<DropReason>(reason))}},
                    task.frames.dropped[reason]);
      }
      in_flight.add(labels, task.frames.in_flight);
      rejected.add(labels, task.frames.rejected);
      latency.add(labels, task.frames.latency);
      inference.add(labels, task.frames.inference);
    }
    for (Family* family : {&received, &processed, &dropped, &in_flight, &rejected, &latency, &inference}) {
      family->put(all);
    }
  }

  void tasks(std::vector<MetricFamily>& all) const {
    Family demand = gauge("task_demand_frames_per_second", "The rate that is wanted.");
    Family granted = gauge("task_granted_frames_per_second", "The rate that the plan promises.");
    Family accuracy = gauge("task_accuracy_ratio", "Accuracy of the variant that serves, by its profile.");
    Family floor = gauge("task_accuracy_floor_ratio", "The accuracy that the task may not fall below.");
    Family source =
        gauge("source_connected", "Whether the task's frames come, or their source is looked for.");
    Family variant = gauge("task_variant_info", "The variant that serves.");
    for (const TaskMetrics& task : of_.tasks) {
      const Labels labels = {{"task", task.id}};
      demand.add(labels, task.demanded.value());
      granted.add(labels, task.granted.value());
      accuracy.add(labels, task.accuracy);
      floor.add(labels, task.accuracy_floor);
      source.add(labels, task.source_connected);
      if (!task.variant.empty()) variant.add({{"task", task.id}, {"variant", task.variant}}, 1.0);
    }
    for (Family* family : {&demand, &granted, &accuracy, &floor, &source, &variant}) family->put(all);
  }

  void switches(std::vector<MetricFamily>& all) const {
    counter("variant_switches_total", "Changes of a task's variant.")
        .add({{"result", "done"}}, of_.switches->done)
        .add({{"result", "called_off"}}, of_.switches->called_off)
        .add({{"result", "failed"}}, of_.switches->failed)
        .put(all);
    histogram("variant_switch_seconds", "How long the parts of a switch took.")
        .add({{"phase", "load"}}, of_.switches->load_times)
        .add({{"phase", "warm"}}, of_.switches->warm_times)
        .add({{"phase", "swap"}}, of_.switches->swap_times)
        .put(all);
  }

  void plans(std::vector<MetricFamily>& all) const {
    Family solves = counter("solver_solves_total", "Plans made, by their status.");
    for (const auto& [result, count] : of_.solves) solves.add({{"result", result}}, count);
    solves.put(all);
    histogram("solver_seconds", "How long a plan took.").add({}, of_.solve_times).put(all);
    gauge("plan_infeasible", "1 while the demand cannot be met within limits and floors.")
        .add({}, of_.infeasible)
        .put(all);
    Family fallbacks = counter("plan_fallback_total", "Infeasible plans that another policy stood in for.");
    for (const auto& [policy, count] : of_.fallbacks) fallbacks.add({{"policy", policy}}, count);
    fallbacks.put(all);
  }

  void device(std::vector<MetricFamily>& all) const {
    Family budget = gauge("time_budget_used_ratio", "Busy time of a processor, of its time budget.");
    for (const ProcessorMetrics& processor : of_.processors) {
      budget.add({{"processor", processor.id}}, processor.budget_used);
    }
    budget.put(all);
    gauge("memory_used_bytes", "Memory that is reserved for engines.")
        .add({}, of_.memory_used.value())
        .put(all);
    Family limit = gauge("memory_limit_bytes", "The limit on the engines' memory.");
    if (of_.memory_limit) limit.add({}, of_.memory_limit->value());
    limit.put(all);
    if (of_.energy) {
      const Labels labels = {{"source", to_string(of_.energy->source)}};
      counter("energy_joules_total",
              "Energy drawn since the start: measured by a meter, or modelled from profiles.")
          .add(labels, of_.energy->total.value())
          .put(all);
      Family power = gauge("power_watts", "Power drawn now: measured by a meter, or modelled from profiles.");
      if (of_.energy->power) power.add(labels, of_.energy->power->value());
      power.put(all);
    }
    counter("config_reloads_total", "Times the configuration was read again.")
        .add({{"result", "accepted"}}, of_.reloads)
        .add({{"result", "refused"}}, of_.failed_reloads)
        .put(all);
    Family last = gauge("config_last_reload_successful", "Whether the last reload was accepted.");
    if (of_.last_reload_successful) last.add({}, *of_.last_reload_successful);
    last.put(all);
    gauge("build_info", "The version that runs.").add({{"version", of_.version}}, 1.0).put(all);
  }

  const MetricsSnapshot& of_;
};

}  // namespace

std::string metrics_text(const MetricsSnapshot& snapshot) {
  return prometheus::TextSerializer().Serialize(Scrape(snapshot).Collect());
}

}  // namespace saccade::runtime
