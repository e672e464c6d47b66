#include "bench/accelerator/networks.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "bench/accelerator/measurement.hpp"
#include "bench/report.hpp"
#include "runtime/profiling/profile_loading.hpp"

namespace saccade::bench {
namespace {

constexpr double kMega = 1e6;
constexpr int kEnginesForMemory = 3;

std::optional<double> in_megabytes(const std::optional<Bytes>& bytes) {
  return bytes ? std::optional(bytes->value() / kMega) : std::nullopt;
}

class NetworkMeasurement {
 public:
  NetworkMeasurement(const NetworksTrial& trial, const NetworkSubject& subject, int batch, bool graphs)
      : trial_(trial), spec_(subject.spec), row_{subject.name, subject.precision, batch, graphs} {
    spec_.batch = batch;
    spec_.graphs = graphs;
  }

  NetworkRow run() {
    for (const auto step : {&NetworkMeasurement::loads, &NetworkMeasurement::inferences}) {
      const Status status = (this->*step)();
      if (status.ok()) continue;
      row_.note = to_string(status.errors());
      return row_;
    }
    return row_;
  }

 private:
  Status loads() {
    std::vector<double> seconds;
    runtime::LoadingTrial loading;
    const auto load = [&](std::vector<double>& times) {
      const auto begin = std::chrono::steady_clock::now();
      auto engine = trial_.backend->load(spec_);
      times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
      if (times.size() == 1 && !row_.first_load_ms) row_.first_load_ms = 1e3 * times.front();
      return engine;
    };
    loading.load = load;
    loading.infer = [&](runtime::Engine& engine) -> Status {
      if (Status prepared = runtime::prepare_black(engine, spec_); !prepared) return prepared;
      runtime::Outputs outputs;
      return engine.infer(outputs);
    };
    loading.loads = trial_.loads;
    loading.device = trial_.memory;
    loading.memory_engines = kEnginesForMemory;
    const std::optional<Bytes> before = in_use();
    const auto cost = runtime::measure_loading(loading);
    if (!cost) return cost.errors();
    std::vector<double> times = cost.value().loads;
    std::sort(times.begin(), times.end());
    row_.load_ms = 1e3 * quantile(times, 0.5);
    row_.device_mb = in_megabytes(cost.value().device_memory);
    row_.device_peak_mb = in_megabytes(cost.value().device_peak);
    if (const std::optional<Bytes> after = in_use(); before && after)
      row_.left_mb = (*after - *before).value() / kMega;
    return Done{};
  }

  Status inferences() {
    auto engine = trial_.backend->load(spec_);
    if (!engine) return engine.errors();
    row_.note = engine.value()->remark();
    const auto times = back_to_back(*engine.value(), spec_, trial_.inferences);
    if (!times) return times.errors();
    row_.inference_ms = quantile(times.value(), 0.5);
    row_.inference_p99_ms = quantile(times.value(), 0.99);
    if (!trial_.energy || !row_.graphs) return Done{};
    runtime::Outputs outputs;
    const auto draw =
        runtime::measure_draw(*trial_.energy, Watts(0.0), [&] { return engine.value()->infer(outputs); });
    if (!draw) return draw.errors();
    if (!draw.value()) return Done{};
    row_.joules_per_image = draw.value()->energy.value() / row_.batch;
    row_.watts = draw.value()->power.value();
    return Done{};
  }

  [[nodiscard]] std::optional<Bytes> in_use() const {
    return trial_.memory != nullptr ? trial_.memory->used() : std::nullopt;
  }

  const NetworksTrial& trial_;
  runtime::EngineSpec spec_;
  NetworkRow row_;
};

}  // namespace

NetworkFigures measure_networks(const NetworksTrial& trial) {
  NetworkFigures figures;
  for (const int batch : trial.batches) {
    for (const NetworkSubject& subject : trial.subjects) {
      for (const bool graphs : {true, false}) {
        if (trial.is_over && trial.is_over()) {
          ++figures.left_out;
        } else {
          figures.rows.push_back(NetworkMeasurement(trial, subject, batch, graphs).run());
        }
      }
    }
  }
  return figures;
}

}  // namespace saccade::bench
