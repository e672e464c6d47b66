#include "bench/paper/energy_model.hpp"

#include <algorithm>

namespace saccade::bench {
namespace {

Watts core_power(const EnergyModel& model, profiles::Precision precision) {
  switch (precision) {
    case profiles::Precision::fp32:
    case profiles::Precision::tf32:
      return model.fp32;
    case profiles::Precision::fp16:
    case profiles::Precision::bf16:
      return model.fp16;
    case profiles::Precision::int8:
      return model.int8;
  }
  return model.fp32;
}

// Of the engine's memory without the inputs of further pictures of its largest batch.
Bytes walked_through(const profiles::ProfileSet& set, const profiles::Variant& variant) {
  const int further = variant.batch_time.empty() ? 0 : variant.batch_time.rbegin()->first - 1;
  const double input = static_cast<double>(set.input.size() * sizeof(float));
  return Bytes(std::max(variant.memory->value() - further * input, 0.0));
}

}  // namespace

profiles::ProfileSet with_modelled_energy(profiles::ProfileSet set, const EnergyModel& model) {
  set.device.idle_power = model.idle;
  set.provenance.energy_source = "modelled";
  for (profiles::Variant& variant : set.variants) {
    variant.power.reset();
    variant.energy_per_inference.reset();
    variant.batch_energy.clear();
    if (!variant.memory) continue;
    Seconds time{0.0};
    for (const auto& [processor, seconds] : variant.frame_time) time += seconds;
    const Joules moved(model.per_byte.value() * walked_through(set, variant).value());
    const Joules energy = core_power(model, variant.precision) * time + moved;
    variant.energy_per_inference = energy;
    variant.power = profiles::Power{Watts(energy.value() / time.value()), {}};
  }
  return set;
}

}  // namespace saccade::bench
