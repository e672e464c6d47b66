#include "scheduler/recomputed_cost.hpp"

#include <algorithm>

namespace saccade::scheduler {
namespace {

// A measure of n inferences in one batch, by what was measured of one and of batches, in ascending order.
class Measured {
 public:
  explicit Measured(double one) : low_(one), high_(one) {}
  // Keeps the two measured batches around n, or the last two below it.
  void add(int batch, double measure, int n) {
    if (at_high_ >= n && at_high_ > at_low_) return;
    at_low_ = at_high_;
    low_ = high_;
    at_high_ = batch;
    high_ = measure;
  }
  [[nodiscard]] double of(int n) const {
    if (at_high_ == at_low_) return n * high_;
    if (n > at_high_) return high_ + (n - at_high_) * std::max(0.0, (high_ - low_) / (at_high_ - at_low_));
    return ((at_high_ - n) * low_ + (n - at_low_) * high_) / (at_high_ - at_low_);
  }

 private:
  double at_low_ = 1.0, low_;
  double at_high_ = 1.0, high_;
};

// t_p(n): one frame of n inferences on a processor that the variant uses, as profiled.
double batch_seconds(const profiles::Variant& variant, const ProcessorId& processor, int n) {
  Measured measured(variant.frame_time.at(processor).value());
  for (const auto& [batch, times] : variant.batch_time) {
    const auto time = times.find(processor);
    if (time != times.end()) measured.add(batch, time->second.value(), n);
  }
  return measured.of(n);
}

double batch_joules(const profiles::Variant& variant, int n) {
  Measured measured(variant.energy_per_inference->value());
  for (const auto& [batch, energy] : variant.batch_energy) measured.add(batch, energy.value(), n);
  return measured.of(n);
}

std::optional<double> frame_joules(const profiles::Variant& variant, int regions) {
  if (variant.energy_per_inference && !variant.batch_energy.empty()) return batch_joules(variant, regions);
  double one = 0.0;
  double frame = 0.0;
  double energy = 0.0;
  bool known = variant.power.has_value();
  for (const auto& [processor, single] : variant.frame_time) {
    const double seconds = batch_seconds(variant, processor, regions);
    one += single.value();
    frame += seconds;
    if (!variant.power) continue;
    const auto own = variant.power->by_processor.find(processor);
    if (variant.power->device) {
      energy += variant.power->device->value() * seconds;
    } else if (own != variant.power->by_processor.end()) {
      energy += own->second.value() * seconds;
    } else {
      known = false;
    }
  }
  if (variant.energy_per_inference) return variant.energy_per_inference->value() * frame / one;
  return known ? std::optional(energy) : std::nullopt;
}

std::optional<double> watts_on(const profiles::Variant& variant, const ProcessorId& processor) {
  if (variant.power) {
    const auto own = variant.power->by_processor.find(processor);
    if (own != variant.power->by_processor.end()) return own->second.value();
  }
  if (!variant.frame_time.contains(processor)) return 0.0;
  const bool device_figure = variant.power && variant.power->device && variant.frame_time.size() == 1;
  return device_figure ? std::optional(variant.power->device->value()) : std::nullopt;
}

std::optional<double> peak_watts(const profiles::Variant& variant) {
  if (!variant.power) return std::nullopt;
  if (variant.power->device) return variant.power->device->value();
  double sum = 0.0;
  for (const auto& [processor, time] : variant.frame_time) {
    const auto own = variant.power->by_processor.find(processor);
    if (own == variant.power->by_processor.end()) return std::nullopt;
    sum += own->second.value();
  }
  return sum;
}

// `seconds` as in RecomputedCost: 0 on processors that the variant does not use.
double latency_at(const profiles::Variant& variant, const std::vector<double>& seconds, double fps) {
  double now = 0.0, now_most = 0.0;
  for (const double each : seconds) {
    now += each;
    now_most = each > now_most ? each : now_most;
  }
  if (variant.staging.stages.empty()) return now;
  double once = 0.0, once_most = 0.0;
  for (const auto& [processor, time] : variant.frame_time) {
    once += time.value();
    once_most = time.value() > once_most ? time.value() : once_most;
  }
  const double alone = variant.staging.latency.value() * now / once;
  const double period = now_most / once_most / variant.staging.max_fps.value();
  if (fps * period <= 0.8 * (1.0 + 1e-9)) return alone;
  return std::max(alone, period * variant.staging.max_in_flight);
}

}  // namespace

double RecomputedCost::total_seconds() const {
  double sum = 0.0;
  for (const double on_processor : seconds) sum += on_processor;
  return sum;
}

RecomputedCost recompute_cost(const Snapshot& snapshot, const Task& task, std::size_t index) {
  const profiles::Variant& variant = task.profiles->variants[index];
  RecomputedCost cost;
  for (const Processor& processor : snapshot.processors) {
    const bool used = variant.frame_time.contains(processor.id);
    cost.seconds.push_back(used ? processor.correction * batch_seconds(variant, processor.id, task.regions)
                                : 0.0);
    cost.watts_on.push_back(watts_on(variant, processor.id));
  }
  cost.latency = latency_at(variant, cost.seconds, task.demand.value());
  cost.joules = frame_joules(variant, task.regions);
  cost.watts = peak_watts(variant);
  if (variant.memory) cost.bytes = variant.memory->value();
  if (variant.device_memory) cost.device_bytes = variant.device_memory->value();
  cost.accuracy = variant.accuracy;
  for (const profiles::Variant& any : task.profiles->variants) {
    cost.best_accuracy = std::max(cost.best_accuracy, any.accuracy);
  }
  cost.relative_accuracy = cost.best_accuracy > 0.0 ? cost.accuracy / cost.best_accuracy : 1.0;
  return cost;
}

}  // namespace saccade::scheduler
