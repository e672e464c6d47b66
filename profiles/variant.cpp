#include "profiles/variant.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/check.hpp"

namespace saccade::profiles {
namespace {

constexpr std::array<std::pair<Precision, const char*>, kPrecisions.size()> kPrecisionNames{{
    {Precision::fp32, "fp32"},
    {Precision::tf32, "tf32"},
    {Precision::fp16, "fp16"},
    {Precision::bf16, "bf16"},
    {Precision::int8, "int8"},
}};

struct BatchPoint {
  double inferences;
  double value;  // of the whole batch
};

// What was measured on one processor, by ascending batch; never empty.
std::vector<BatchPoint> batch_points(const Variant& variant, const ProcessorId& processor, Seconds single) {
  std::vector<BatchPoint> points{{1.0, single.value()}};
  for (const auto& [batch, times] : variant.batch_time) {
    const auto time = times.find(processor);
    if (time != times.end()) points.push_back({static_cast<double>(batch), time->second.value()});
  }
  return points;
}

double interpolate(const std::vector<BatchPoint>& points, double inferences) {
  if (points.size() == 1) return points.front().value * inferences;
  std::size_t right = 1;
  while (right + 1 < points.size() && points[right].inferences < inferences) ++right;
  const BatchPoint& a = points[right - 1];
  const BatchPoint& b = points[right];
  if (inferences == b.inferences) return b.value;
  double slope = (b.value - a.value) / (b.inferences - a.inferences);
  // A larger batch that was measured as less is noise; extended it would lead to values below zero.
  if (inferences > b.inferences) slope = std::max(slope, 0.0);
  return inferences > b.inferences ? b.value + slope * (inferences - b.inferences)
                                   : a.value + slope * (inferences - a.inferences);
}

Joules interpolated_energy(const Variant& variant, int regions) {
  std::vector<BatchPoint> points{{1.0, variant.energy_per_inference->value()}};
  for (const auto& [batch, energy] : variant.batch_energy)
    points.push_back({static_cast<double>(batch), energy.value()});
  return Joules(interpolate(points, regions));
}

Seconds sum(const TimeByProcessor& times) {
  Seconds total;
  for (const auto& [processor, time] : times) total += time;
  return total;
}

}  // namespace

const char* to_string(Precision precision) {
  for (const auto& [value, name] : kPrecisionNames) {
    if (value == precision) return name;
  }
  check_failed("known precision", __FILE__, __LINE__);
}

std::optional<Precision> precision_from(const std::string& name) {
  for (const auto& [value, known] : kPrecisionNames) {
    if (name == known) return value;
  }
  return std::nullopt;
}

TimeByProcessor time_per_frame(const Variant& variant, int regions) {
  SACCADE_CHECK(regions >= 1);
  TimeByProcessor times;
  for (const auto& [processor, single] : variant.frame_time) {
    times[processor] = Seconds(interpolate(batch_points(variant, processor, single), regions));
  }
  return times;
}

std::optional<Joules> energy_per_frame(const Variant& variant, int regions) {
  SACCADE_CHECK(regions >= 1);
  if (regions == 1 && variant.energy_per_inference) return variant.energy_per_inference;
  if (variant.energy_per_inference && !variant.batch_energy.empty())
    return interpolated_energy(variant, regions);
  TimeByProcessor several;
  if (regions > 1) several = time_per_frame(variant, regions);
  const TimeByProcessor& times = regions > 1 ? several : variant.frame_time;
  if (variant.energy_per_inference) {
    return *variant.energy_per_inference * (sum(times) / sum(variant.frame_time));
  }
  if (!variant.power) return std::nullopt;
  if (variant.power->device) return *variant.power->device * sum(times);
  Joules energy;
  for (const auto& [processor, time] : times) {
    const auto power = variant.power->by_processor.find(processor);
    if (power == variant.power->by_processor.end()) return std::nullopt;
    energy += power->second * time;
  }
  return energy;
}

std::optional<Watts> peak_power(const Variant& variant) {
  if (!variant.power) return std::nullopt;
  if (variant.power->device) return variant.power->device;
  Watts total;
  for (const auto& [processor, time] : variant.frame_time) {
    const auto power = variant.power->by_processor.find(processor);
    if (power == variant.power->by_processor.end()) return std::nullopt;
    total += power->second;
  }
  return total;
}

}  // namespace saccade::profiles
