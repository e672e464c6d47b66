#include "service/api/metrics.hpp"

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <array>

#include "service/api/wanted_task.hpp"

namespace saccade::service {
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
  Family& add(const Labels& labels, const runtime::LatencyHistogram& times) {
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

  Family& add(const Labels& labels, const results::DeliveryTimes& times) {
    ClientMetric metric;
    metric.label = labels;
    metric.histogram.sample_count = static_cast<std::uint64_t>(times.count());
    metric.histogram.sample_sum = to_seconds(times.sum()).value();
    for (std::size_t i = 0; i < results::DeliveryTimes::kBounds.size(); ++i) {
      const double bound = static_cast<double>(results::DeliveryTimes::kBounds[i]) / 1e3;
      metric.histogram.bucket.push_back({static_cast<std::uint64_t>(times.up_to(i)), bound});
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
    captures(all);
    switches(all);
    plans(all);
    device(all);
    decoding(all);
    deliveries(all);
    rules(all);
    fleet(all);
    return all;
  }

 private:
  static Family counter(const char* name, const char* help) { return {name, help, MetricType::Counter}; }
  static Family gauge(const char* name, const char* help) { return {name, help, MetricType::Gauge}; }
  static Family histogram(const char* name, const char* help) { return {name, help, MetricType::Histogram}; }

  void fleet(std::vector<MetricFamily>& all) const {
    if (!of_.fleet) return;
    gauge("fleet_store_connected", "1 while the box holds its lease and follows its assignment.")
        .add({}, of_.fleet->connected)
        .put(all);
    gauge("fleet_assignment_age_seconds",
          "Time since what the box serves was last known to be what the fleet assigns to it.")
        .add({}, of_.fleet->assignment_age)
        .put(all);
  }

  void frames(std::vector<MetricFamily>& all) const {
    Family received = counter("frames_received_total", "Frames received.");
    Family processed = counter("frames_processed_total", "Frames processed by an engine.");
    Family dropped = counter("frames_dropped_total", "Frames received but not processed, by reason.");
    Family in_flight = gauge("frames_in_flight", "Frames waiting or being processed.");
    Family rejected =
        counter("frames_rejected_total",
                "Pushed frames refused because the task's gate was full; not counted as received.");
    Family latency =
        histogram("frame_latency_seconds", "Time from a frame's due time to the end of its inference.");
    Family frame_age =
        histogram("frame_age_seconds", "Time from a frame's capture to the end of its inference.");
    Family inference = histogram("inference_seconds", "Time spent in the inference engine.");
    Family parts =
        counter("frame_part_seconds_total",
                "Time that workers spent on processed frames: making the network's input (prepare), in the "
                "engine (infer), finding results in its outputs (decode).");
    for (const runtime::TaskStatus& task : of_.status.tasks) {
      const std::string& id = task.id.str();
      const Labels labels = {{"task", id}};
      received.add(labels, task.frames.received);
      processed.add(labels, task.frames.processed);
      for (std::size_t reason = 0; reason < runtime::kDropReasons; ++reason) {
        dropped.add({{"task", id}, {"reason", to_string(static_cast<runtime::DropReason>(reason))}},
                    task.frames.dropped[reason]);
      }
      in_flight.add(labels, task.frames.in_flight);
      rejected.add(labels, task.frames.rejected);
      latency.add(labels, task.frames.latency);
      if (task.frames.age.count() > 0) frame_age.add(labels, task.frames.age);
      inference.add(labels, task.frames.inference);
      const auto part = [&](const char* name, Duration time) {
        parts.add({{"task", id}, {"part", name}}, to_seconds(time).value());
      };
      part("prepare", task.frames.worked.prepare);
      part("infer", task.frames.worked.infer);
      part("decode", task.frames.worked.decode);
    }
    for (Family* family :
         {&received, &processed, &dropped, &in_flight, &rejected, &latency, &frame_age, &inference, &parts}) {
      family->put(all);
    }
  }

  void tasks(std::vector<MetricFamily>& all) const {
    Family demand = gauge("task_demand_frames_per_second", "Demanded frame rate.");
    Family granted = gauge("task_granted_frames_per_second", "Frame rate granted by the running plan.");
    Family accuracy = gauge("task_accuracy_ratio",
                            "Profiled accuracy of the serving variant, in the metric of task_variant_info.");
    Family map =
        gauge("task_live_map_ratio", "mAP of a detector over the last 500 frames with known objects.");
    Family map50 =
        gauge("task_live_map50_ratio", "mAP50 of a detector over the last 500 frames with known objects.");
    Family floor = gauge("task_accuracy_floor_ratio", "Accuracy floor of the task.");
    Family source = gauge("source_connected", "1 if the frame source is connected, 0 while reconnecting.");
    Family variant = gauge("task_variant_info",
                           "The serving variant and the metric of its accuracy; the value is always 1.");
    Family standby = gauge("task_standby_ready",
                           "1 if an engine is kept ready for a task with `standby` that is not demanded.");
    Family stages =
        gauge("task_stage_info",
              "The processors of each stage of the serving variant, from 1, if it has stages; the value "
              "is always 1.");
    for (const runtime::TaskStatus& task : of_.status.tasks) {
      const std::string& id = task.id.str();
      const Labels labels = {{"task", id}};
      demand.add(labels, task.demanded.value());
      granted.add(labels, task.granted.value());
      if (const scheduler::Task* wanted = wanted_task(of_.status, task.id)) {
        floor.add(labels, accuracy_floor(*wanted));
      }
      source.add(labels, task.source_connected);
      if (task.live_precision) {
        map.add(labels, task.live_precision->map);
        map50.add(labels, task.live_precision->map50);
      }
      if (task.standby) standby.add(labels, task.spare.has_value());
      if (!task.variant) continue;
      const profiles::Variant& serving = task.profiles->variants.at(*task.variant);
      accuracy.add(labels, std::optional(serving.accuracy));
      const std::string& metric = task.profiles->interface.metric;
      variant.add({{"task", id}, {"variant", serving.id.str()}, {"metric", metric}}, 1.0);
      std::size_t number = 0;
      for (const profiles::Stage& stage : serving.staging.stages) {
        const std::string stage_number = std::to_string(++number);
        for (std::size_t k = 0; k < stage.processors(); ++k)
          stages.add({{"task", id}, {"stage", stage_number}, {"processor", stage.processor(k).str()}}, 1.0);
      }
    }
    for (Family* family :
         {&demand, &granted, &accuracy, &map, &map50, &floor, &source, &variant, &standby, &stages})
      family->put(all);
  }

  // Of tasks with a camera.
  void captures(std::vector<MetricFamily>& all) const {
    Family time = counter("capture_seconds_total", "Processor time spent reading and decoding a camera.");
    Family pictures = counter(
        "capture_frames_total",
        "Pictures of a camera, by outcome: decoded for a tick, or skipped because no tick needs them.");
    Family reconnects = counter("source_reconnects_total", "Number of times a lost camera reconnected.");
    Family age = gauge(
        "source_last_frame_age_seconds",
        "Time since the arrival of a camera's newest picture; it grows while the camera is unavailable.");
    for (const runtime::TaskStatus& task : of_.status.tasks) {
      if (!task.capture) continue;
      const std::string& id = task.id.str();
      time.add({{"task", id}}, to_seconds(task.capture->processor_time).value());
      pictures.add({{"task", id}, {"outcome", "decoded"}}, static_cast<double>(task.capture->decoded));
      pictures.add({{"task", id}, {"outcome", "skipped"}}, static_cast<double>(task.capture->skipped));
      reconnects.add({{"task", id}}, static_cast<double>(task.capture->reconnects));
      if (task.capture->age) age.add({{"task", id}}, to_seconds(*task.capture->age).value());
    }
    for (Family* family : {&time, &pictures, &reconnects, &age}) family->put(all);
  }

  void switches(std::vector<MetricFamily>& all) const {
    counter("variant_switches_total", "Variant switches, by result.")
        .add({{"result", "done"}}, of_.status.switch_totals->done)
        .add({{"result", "called_off"}}, of_.status.switch_totals->called_off)
        .add({{"result", "failed"}}, of_.status.switch_totals->failed)
        .put(all);
    histogram("variant_switch_seconds", "Duration of the phases of a variant switch.")
        .add({{"phase", "load"}}, of_.status.switch_totals->load_times)
        .add({{"phase", "warm"}}, of_.status.switch_totals->warm_times)
        .add({{"phase", "swap"}}, of_.status.switch_totals->swap_times)
        .put(all);
  }

  void plans(std::vector<MetricFamily>& all) const {
    Family solves = counter("solver_solves_total", "Planning decisions, by plan status.");
    for (const auto& [result, count] : of_.solves) solves.add({{"result", result}}, count);
    solves.put(all);
    histogram("solver_seconds", "Duration of a planning decision.").add({}, of_.solve_times).put(all);
    gauge("plan_infeasible", "1 while no plan satisfies all limits and floors.")
        .add({}, of_.infeasible)
        .put(all);
    Family fallbacks = counter("plan_fallback_total", "Infeasible plans replaced by a fallback policy.");
    for (const auto& [policy, count] : of_.fallbacks) fallbacks.add({{"policy", policy}}, count);
    fallbacks.put(all);
  }

  void device_memories(std::vector<MetricFamily>& all) const {
    if (of_.status.memories.empty()) return;
    Family used = gauge("device_memory_used_bytes",
                        "Memory of a device reserved for engines and their context, planned from profiles.");
    Family limit = gauge("device_memory_limit_bytes", "Limit of a device's memory for all engines.");
    for (const runtime::MemoryUse& memory : of_.status.memories) {
      used.add({{"memory", memory.name}}, memory.reserved.value());
      if (memory.limit) limit.add({{"memory", memory.name}}, memory.limit->value());
    }
    used.put(all);
    limit.put(all);
  }

  void decoding(std::vector<MetricFamily>& all) const {
    Family taken = gauge("processor_decoding_seconds",
                         "Time that decoding of cameras takes of a processor's CPUs, per second.");
    for (std::size_t p = 0; p < of_.status.decoding.size(); ++p) {
      taken.add({{"processor", of_.status.wanted->processors.at(p).id.str()}}, of_.status.decoding[p]);
    }
    taken.put(all);
  }

  void device(std::vector<MetricFamily>& all) const {
    Family budget = gauge("time_budget_used_ratio",
                          "Busy time of a processor relative to its time budget, over the last seconds.");
    for (std::size_t p = 0; p < of_.budget_used.size(); ++p) {
      budget.add({{"processor", of_.status.wanted->processors.at(p).id.str()}}, of_.budget_used[p]);
    }
    budget.put(all);
    Family guard = gauge("processor_guard_seconds", "Time that plans leave free on a processor, per second.");
    for (std::size_t p = 0; p < of_.status.wanted->processors.size(); ++p) {
      guard.add({{"processor", of_.status.wanted->processors.at(p).id.str()}}, of_.status.guard(p).value());
    }
    guard.put(all);
    gauge("memory_used_bytes", "Memory reserved for engines, planned from profiles.")
        .add({}, of_.status.reserved.value())
        .put(all);
    Family held =
        gauge("process_memory_bytes",
              "Memory of the process, measured as proportional set size: all of it, not only engines.");
    if (of_.process_memory) held.add({{"source", "measured"}}, of_.process_memory->value());
    held.put(all);
    Family limit = gauge("memory_limit_bytes", "Memory limit for all engines.");
    const std::optional<Bytes>& memory_limit = of_.status.wanted->limits.memory;
    if (memory_limit) limit.add({}, memory_limit->value());
    limit.put(all);
    device_memories(all);
    Family heat = gauge("temperature_celsius", "Temperatures of this machine, by sensor.");
    for (const runtime::Temperature& each : of_.temperatures) {
      heat.add({{"sensor", each.sensor}}, each.celsius);
    }
    heat.put(all);
    if (const std::optional<runtime::EnergyReading>& energy = of_.status.energy) {
      const Labels labels = {{"source", to_string(energy->source)}};
      counter("energy_joules_total",
              "Energy consumed since the start, measured by a meter or modelled from profiles.")
          .add(labels, energy->total.value())
          .put(all);
      Family power = gauge("power_watts", "Current power, measured by a meter or modelled from profiles.");
      if (energy->power) power.add(labels, energy->power->value());
      power.put(all);
    }
    counter("config_reloads_total", "Configuration reloads, by result.")
        .add({{"result", "accepted"}}, of_.reloads)
        .add({{"result", "refused"}}, of_.failed_reloads)
        .put(all);
    Family last =
        gauge("config_last_reload_successful", "1 if the last configuration reload was accepted, else 0.");
    if (of_.last_reload_successful) last.add({}, *of_.last_reload_successful);
    last.put(all);
    gauge("build_info", "Version of the running program; the value is always 1.")
        .add({{"version", of_.version}}, 1.0)
        .put(all);
  }

  void deliveries(std::vector<MetricFamily>& all) const {
    Family total = counter("results_total", "Results of the workers, by sink and outcome.");
    Family produced = counter("results_produced_total", "Results of the workers offered to a sink's filter.");
    Family queue = gauge("result_queue", "Results waiting for a sink.");
    Family connected = gauge("result_connected", "1 while the sink can be reached or written, else 0.");
    Family readers = gauge("result_readers", "Readers connected to a sink of type socket.");
    Family lost =
        counter("result_reader_lost_total", "Results lost by slow readers of a sink, summed over readers.");
    Family times = histogram("result_delivery_seconds",
                             "Time from the end of an inference until a sink had sent its result.");
    for (const results::DeliveryAccount& sink : of_.deliveries) {
      if (sink.readers) {
        readers.add({{"sink", sink.id}}, sink.readers->connected);
        lost.add({{"sink", sink.id}}, sink.readers->lost);
      }
      total.add({{"sink", sink.id}, {"outcome", "filtered"}}, sink.filtered)
          .add({{"sink", sink.id}, {"outcome", "sent"}}, sink.sent)
          .add({{"sink", sink.id}, {"outcome", "dropped"}}, sink.dropped)
          .add({{"sink", sink.id}, {"outcome", "failed"}}, sink.failed);
      produced.add({{"sink", sink.id}}, sink.produced);
      queue.add({{"sink", sink.id}}, sink.waiting);
      connected.add({{"sink", sink.id}}, sink.connected);
      times.add({{"sink", sink.id}}, sink.delivered);
    }
    for (Family* family : {&produced, &total, &queue, &connected, &readers, &lost, &times}) family->put(all);
    gauge("result_streams", "Connections following the stream of results.")
        .add({}, of_.result_streams.readers)
        .put(all);
    counter("result_stream_records_total",
            "Records of all streams of results: sent, or lost because a reader was too slow.")
        .add({{"outcome", "sent"}}, of_.result_streams.read)
        .add({{"outcome", "lost"}}, of_.result_streams.lost)
        .put(all);
  }

  void rules(std::vector<MetricFamily>& all) const {
    Family active = gauge("rule_active", "1 while the rule is active for the task, else 0.");
    Family changes = counter("rule_changes_total",
                             "Number of times the rule started or stopped being active for the task.");
    for (const RuleFacts& rule : of_.rules) {
      active.add({{"rule", rule.rule}, {"task", rule.task}}, rule.active);
      changes.add({{"rule", rule.rule}, {"task", rule.task}}, rule.changes);
    }
    active.put(all);
    changes.put(all);
  }

  const MetricsSnapshot& of_;
};

}  // namespace

std::string metrics_text(const MetricsSnapshot& snapshot) {
  return prometheus::TextSerializer().Serialize(Scrape(snapshot).Collect());
}

}  // namespace saccade::service
