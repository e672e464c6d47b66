#include "runtime/profiling/profile_loading.hpp"

#include <algorithm>
#include <utility>

#include "runtime/machine/resident_memory.hpp"

namespace saccade::runtime {

namespace {

// A growth of nothing is no measurement.
void raise(std::optional<Bytes>& most, Bytes seen) {
  if (seen > most.value_or(Bytes(0.0))) most = seen;
}

std::optional<Bytes> used_of(DeviceMemoryMeter* device) {
  return device != nullptr ? device->used() : std::nullopt;
}

Status measure_memory(const LoadingTrial& trial, LoadingCost& cost) {
  std::vector<std::unique_ptr<Engine>> engines;
  std::vector<double> ignored;
  trim_memory();
  std::optional<Bytes> before = proportional_memory();
  std::optional<Bytes> device_before = used_of(trial.device);
  for (int count = 0; count < trial.memory_engines; ++count) {
    const PeakMemory peak;
    if (trial.device != nullptr) trial.device->watch();
    auto engine = trial.load(ignored);
    if (!engine) return engine.errors();
    Status status = trial.infer(*engine.value());
    if (!status) return status;
    engines.push_back(std::move(engine).value());
    const std::optional<Bytes> after = proportional_memory();
    if (before && after) raise(cost.memory, *after - *before);
    if (const auto growth = peak.growth()) raise(cost.peak, *growth);
    before = after;
    const std::optional<Bytes> most = trial.device != nullptr ? trial.device->most() : std::nullopt;
    const std::optional<Bytes> device_after = used_of(trial.device);
    if (device_before && device_after) raise(cost.device_memory, *device_after - *device_before);
    if (device_before && most) raise(cost.device_peak, *most - *device_before);
    device_before = device_after;
  }
  return Done{};
}

}  // namespace

Result<LoadingCost> measure_loading(const LoadingTrial& trial) {
  LoadingCost cost;
  {
    // What the library sets up once, at the first model with such layers, belongs to no engine; and the
    // first load may be the one that makes the kept graph.
    std::vector<double> ignored;
    auto first = trial.load(ignored);
    if (!first) return first.errors();
    const Status status = trial.infer(*first.value());
    if (!status) return status.errors();
  }
  for (int load = 0; load < trial.loads; ++load) {  // in turn, so that drift hits both alike
    if (auto engine = trial.load(cost.loads); !engine) return engine.errors();
    if (!trial.load_uncached) continue;
    if (auto engine = trial.load_uncached(cost.uncached); !engine) return engine.errors();
  }
  if (trial.memory_engines == 0) return cost;
  const int groups = std::max((trial.loads + trial.memory_engines - 1) / trial.memory_engines, 1);
  for (int group = 0; group < groups; ++group) {
    const Status status = measure_memory(trial, cost);
    if (!status) return status.errors();
  }
  return cost;
}

}  // namespace saccade::runtime
