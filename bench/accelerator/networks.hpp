// What one network costs on an accelerator, by precision, batch, and with or without captured graphs: time of
// an inference, of a load (the first one apart, which may set up what all engines share), memory of the
// device and what of it is left after destruction, energy. Whatever the back end. Threads: the calling one.
// Errors: none; what fails is said in its row, what was not measured is absent.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/engines/engine.hpp"
#include "runtime/machine/device_memory.hpp"
#include "runtime/profiling/profile_energy.hpp"

namespace saccade::bench {

struct NetworkSubject {
  std::string name;  // "densenet-signs/w1.00-fp16"
  std::string precision;
  runtime::EngineSpec spec;  // at batch 1
};

struct NetworksTrial {
  const runtime::EngineBackend* backend = nullptr;
  std::vector<NetworkSubject> subjects;
  std::vector<int> batches{1, 8, 16, 48};
  runtime::DeviceMemoryMeter* memory = nullptr;  // null: absent
  std::optional<runtime::EnergyTrial> energy;    // absent: no meter. Of engines with graphs
  int inferences = 100;
  int loads = 3;
  std::function<bool()> is_over{};  // no time is left: what was not begun is left out
};

struct NetworkRow {
  std::string name;
  std::string precision;
  int batch = 1;
  bool graphs = true;
  std::optional<double> inference_ms{};  // medians
  std::optional<double> inference_p99_ms{};
  std::optional<double> first_load_ms{};
  std::optional<double> load_ms{};
  std::optional<double> device_mb{};
  std::optional<double> device_peak_mb{};
  std::optional<double> left_mb{};           // after all of its engines were destroyed
  std::optional<double> joules_per_image{};  // above rest with the engine loaded
  std::optional<double> watts{};
  std::string note{};  // why a figure is missing, or what the engine remarks
};

struct NetworkFigures {
  std::vector<NetworkRow> rows;
  int left_out = 0;  // for want of time
};
[[nodiscard]] NetworkFigures measure_networks(const NetworksTrial& trial);

}  // namespace saccade::bench
