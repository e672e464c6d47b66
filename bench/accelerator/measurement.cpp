#include "bench/accelerator/measurement.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#include "runtime/machine/thread_settings.hpp"

namespace saccade::bench {
namespace {

using Steady = std::chrono::steady_clock;

constexpr int kTrial = 50;       // inferences that give the rate
constexpr int kLoaderNice = 10;  // as the product's loader while it serves

double milliseconds_since(Steady::time_point begin) {
  return std::chrono::duration<double, std::milli>(Steady::now() - begin).count();
}

// Paced inferences for a stretch of time.
class Server {
 public:
  Server(const AcceleratorTrial& trial, runtime::Engine& engine, double period_ms,
         AcceleratorFigures& figures)
      : trial_(trial), engine_(engine), period_(period_ms), figures_(figures) {}

  void serve(std::vector<double>& times) {
    runtime::Outputs outputs;
    const auto begin = Steady::now();
    const auto period =
        std::chrono::duration_cast<Steady::duration>(std::chrono::duration<double, std::milli>(period_));
    const auto end = begin + std::chrono::duration_cast<Steady::duration>(
                                 std::chrono::duration<double>(trial_.stretch.value()));
    for (auto due = begin; due < end; due += period) {
      std::this_thread::sleep_until(due);
      const auto start = Steady::now();
      const Status status = engine_.infer(outputs);
      times.push_back(milliseconds_since(start));
      if (status.ok()) continue;
      ++figures_.failed_inferences;
      if (figures_.first_failure.empty()) figures_.first_failure = to_string(status.errors());
    }
  }

 private:
  const AcceleratorTrial& trial_;
  runtime::Engine& engine_;
  const double period_;
  AcceleratorFigures& figures_;
};

struct Loads {
  std::atomic<bool> ends = false;
  std::atomic<std::int64_t> done = 0;
  std::atomic<std::int64_t> failed = 0;
};

void load_without_pause(const AcceleratorTrial& trial, Loads& loads) {
  runtime::set_nice(runtime::thread_id(), kLoaderNice);
  for (std::size_t i = 0; !loads.ends; ++i) {
    const auto engine = trial.backend->load(trial.loading[i % trial.loading.size()]);
    ++(engine.ok() ? loads.done : loads.failed);
  }
}

}  // namespace

Result<std::vector<double>> back_to_back(runtime::Engine& engine, const runtime::EngineSpec& spec,
                                         int inferences) {
  if (Status prepared = runtime::prepare_black(engine, spec); !prepared) return prepared.errors();
  runtime::Outputs outputs;
  std::vector<double> times;
  for (int i = 0; i < inferences; ++i) {
    const auto start = Steady::now();
    if (Status status = engine.infer(outputs); !status) return status.errors();
    times.push_back(milliseconds_since(start));
  }
  std::sort(times.begin(), times.end());
  return times;
}

Result<AcceleratorFigures> measure_accelerator(const AcceleratorTrial& trial) {
  AcceleratorFigures figures;
  for (int i = 0; i < trial.loads; ++i) {
    const auto start = Steady::now();
    const auto engine =
        trial.backend->load(trial.loading[static_cast<std::size_t>(i) % trial.loading.size()]);
    if (!engine) return engine.errors();
    figures.load_ms.push_back(milliseconds_since(start));
  }
  auto serving = trial.backend->load(trial.serving);
  if (!serving) return serving.errors();
  runtime::Engine& engine = *serving.value();
  const auto alone = back_to_back(engine, trial.serving, kTrial);
  if (!alone) return alone.errors();
  const double median = alone.value()[alone.value().size() / 2];
  Server server(trial, engine, std::max(median, 0.05) / trial.share, figures);
  server.serve(figures.quiet_ms);
  Loads loads;
  std::thread loader([&] { load_without_pause(trial, loads); });
  server.serve(figures.loaded_ms);
  loads.ends = true;
  loader.join();
  figures.loads_beside = loads.done;
  figures.failed_loads = loads.failed;
  for (std::vector<double>* times : {&figures.load_ms, &figures.quiet_ms, &figures.loaded_ms})
    std::sort(times->begin(), times->end());
  return figures;
}

}  // namespace saccade::bench
