#include "bench/accelerator/measurement.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "runtime/machine/resident_memory.hpp"
#include "runtime/machine/thread_settings.hpp"

namespace saccade::bench {
namespace {

using Steady = std::chrono::steady_clock;

constexpr int kTrial = 50;                                  // inferences that give the rate
constexpr int kLoaderNice = 10;                             // as the product's loader while it serves
constexpr std::int64_t kSettled = 20;                       // loads after which the process's memory counts
constexpr auto kAttention = std::chrono::milliseconds(20);  // a pause sees that often whether it ends

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
  std::optional<double> bytes_per_load;  // that the process grows by; read when the thread has ended
};

void load_in_turn(const AcceleratorTrial& trial, Loads& loads) {
  runtime::set_nice(runtime::thread_id(), kLoaderNice);
  std::optional<Bytes> settled;
  for (std::size_t i = 0; !loads.ends; ++i) {
    if (!settled && loads.done == kSettled) settled = runtime::anonymous_memory();
    const auto engine = trial.backend->load(trial.loading[i % trial.loading.size()]);
    ++(engine.ok() ? loads.done : loads.failed);
    for (const auto end = Steady::now() + trial.pause; !loads.ends && Steady::now() < end;)
      std::this_thread::sleep_for(std::min<Steady::duration>(end - Steady::now(), kAttention));
  }
  const auto further = static_cast<double>(loads.done - kSettled);
  const std::optional<Bytes> then = runtime::anonymous_memory();
  if (settled && then && further > 0.0) loads.bytes_per_load = (*then - *settled).value() / further;
}

// Inferences per second, at full rate until `ends`.
double full_rate(runtime::Engine& engine, const std::atomic<bool>& ends, std::string& failure) {
  runtime::Outputs outputs;
  double inferences = 0.0;
  const auto begin = Steady::now();
  while (!ends) {
    if (const Status status = engine.infer(outputs); !status) {
      failure = to_string(status.errors());
      return 0.0;
    }
    inferences += 1.0;
  }
  return inferences / (milliseconds_since(begin) * 1e-3);
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
  runtime::give_large_blocks_back();  // as the product's loader does
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
  std::thread loader([&] { load_in_turn(trial, loads); });
  server.serve(figures.loaded_ms);
  loads.ends = true;
  loader.join();
  figures.loads_beside = loads.done;
  figures.failed_loads = loads.failed;
  figures.bytes_per_load = loads.bytes_per_load;
  for (std::vector<double>* times : {&figures.load_ms, &figures.quiet_ms, &figures.loaded_ms})
    std::sort(times->begin(), times->end());
  return figures;
}

Result<TwoEngines> measure_pair(const runtime::EngineBackend& backend, const runtime::EngineSpec& first,
                                const runtime::EngineSpec& second, Seconds stretch) {
  struct Side {
    std::unique_ptr<runtime::Engine> engine;
    double rate = 0.0;
    std::string failure;
  };
  Side a, b;
  for (const auto& [side, spec] : {std::pair{&a, &first}, std::pair{&b, &second}}) {
    auto engine = backend.load(*spec);
    if (!engine) return engine.errors();
    side->engine = std::move(engine).value();
    if (Status prepared = runtime::prepare_black(*side->engine, *spec); !prepared) return prepared.errors();
  }
  const auto run = [&](const std::vector<Side*>& sides) {
    std::atomic<bool> ends = false;
    std::vector<std::thread> threads;
    for (Side* side : sides)
      threads.emplace_back([side, &ends] { side->rate = full_rate(*side->engine, ends, side->failure); });
    std::this_thread::sleep_for(std::chrono::duration<double>(stretch.value()));
    ends = true;
    for (std::thread& thread : threads) thread.join();
  };
  TwoEngines figures;
  run({&a});
  figures.first_alone = a.rate;
  run({&b});
  figures.second_alone = b.rate;
  run({&a, &b});
  figures.first_together = a.rate;
  figures.second_together = b.rate;
  for (const Side* side : {&a, &b}) {
    if (!side->failure.empty()) return Error{"two engines together", side->failure, ""};
  }
  return figures;
}

}  // namespace saccade::bench
