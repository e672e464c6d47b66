// The cost of loading a variant: time, with and without cached graphs, and memory of an engine that has
// served. The largest growth caused by one more engine counts: freed memory that the allocator keeps is
// charged to the engine that needed it. Of an accelerator's memory the same: what the process takes of it
// once, with its first engine, is no engine's. Threads: the calling one. Errors: a load or inference that
// fails.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/engines/engine.hpp"
#include "runtime/machine/device_memory.hpp"

namespace saccade::runtime {

struct LoadingCost {
  std::optional<Bytes> memory;
  std::optional<Bytes> peak;
  std::optional<Bytes> device_memory;  // of an accelerator, as the two above
  std::optional<Bytes> device_peak;
  std::vector<double> loads;     // seconds, as when serving
  std::vector<double> uncached;  // seconds, without cached graphs; empty if there is no such backend
};

struct LoadingTrial {
  using TimedLoad = std::function<Result<std::unique_ptr<Engine>>(std::vector<double>& seconds)>;
  TimedLoad load;
  TimedLoad load_uncached;               // may be empty
  std::function<Status(Engine&)> infer;  // once
  int loads = 1;
  DeviceMemoryMeter* device = nullptr;  // null = there is none
  int memory_engines = 0;               // held simultaneously; 0 = memory is not measured
};

[[nodiscard]] Result<LoadingCost> measure_loading(const LoadingTrial& trial);

}  // namespace saccade::runtime
