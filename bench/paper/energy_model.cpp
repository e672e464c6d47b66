#include "bench/paper/energy_model.hpp"

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
    const Joules moved(model.per_byte.value() * variant.memory->value());
    const Joules energy = core_power(model, variant.precision) * time + moved;
    variant.energy_per_inference = energy;
    variant.power = profiles::Power{Watts(energy.value() / time.value()), {}};
  }
  return set;
}

}  // namespace saccade::bench
