#include "runtime/simulation/engine_model.hpp"

#include <algorithm>
#include <cmath>

namespace saccade::runtime {
namespace {

constexpr Seconds kLoad{0.01};  // of a variant whose load was not measured

// Only batch 1 has a measured spread. A longer inference is delayed more often, and independent delays
// add up with the square root of their number.
Latency frame_latency(const profiles::Variant& variant, int regions, const ProcessorId& processor) {
  const Seconds median = profiles::time_per_frame(variant, regions).at(processor);
  const auto p99 = variant.frame_time_p99.find(processor);
  Seconds excess{0.0};
  if (p99 != variant.frame_time_p99.end()) {
    excess = std::max(p99->second - variant.frame_time.at(processor), Seconds(0.0));
  }
  return {to_duration(median), to_duration(median + excess * std::sqrt(static_cast<double>(regions)))};
}

}  // namespace

EngineModel engine_model(const action::Load& load, const ProcessorId& processor, TimePoint asked) {
  const profiles::Variant& variant = load.profiles->variants.at(load.variant);
  EngineModel model;
  model.task = load.task;
  model.variant = load.variant;
  model.profiles = load.profiles;
  model.processor = load.processor;
  model.asked = asked;
  if (variant.staging.empty()) model.stages = {frame_latency(variant, load.batch, processor)};
  if (variant.staging.empty()) model.copies = {1};
  for (const profiles::Stage& stage : variant.staging.stages) {
    model.stages.push_back({to_duration(stage.frame_time), to_duration(stage.frame_time)});
    model.copies.push_back(stage.processors());
  }
  const Duration time = to_duration(variant.load_time.value_or(kLoad));
  model.load = {time, time + time / 2};
  return model;
}

}  // namespace saccade::runtime
