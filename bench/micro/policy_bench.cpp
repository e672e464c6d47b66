// build/release/bench/bench_micro --benchmark_filter='^decide/' [--benchmark_format=json]
// What one decision costs, validation, formulation and explanation included: 5 tasks x 12 variants
// under three limits (time, energy, memory), solved by GLPK; median, 99th percentile and maximum over
// many seeds, counted from kFirstSeed. `fits` finds room at the demanded rates (the most accurate
// variants need 2.5 times the processor), `degrades` has to lower them first (40 times).
#include <benchmark/benchmark.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "bench/micro/report.hpp"
#include "ilp/glpk_solver.hpp"
#include "scheduler/policy.hpp"

namespace saccade::bench {
namespace {

constexpr std::uint64_t kFirstSeed = 1;

double uniform(std::mt19937_64& random) { return static_cast<double>(random() >> 11U) * 0x1p-53; }

// The shape of profiled networks: time, energy and memory grow geometrically with size, accuracy is
// concave in it. `load`: processor time of the most accurate variants together.
scheduler::Snapshot instance(std::uint64_t seed, double load) {
  std::mt19937_64 random(seed);
  scheduler::Snapshot snapshot;
  scheduler::Processor processor;
  processor.id = ProcessorId("cpu");
  snapshot.processors.push_back(processor);
  double memory = 0.0;
  double energy = 0.0;
  for (int i = 0; i < 5; ++i) {
    profiles::ProfileSet set;
    const double rate = 5.0 + std::round(25.0 * uniform(random));
    const double slowest = load / 5.0 / rate;
    for (int v = 0; v < 12; ++v) {
      const double size = (v + uniform(random)) / 12.0;
      profiles::Variant variant;
      variant.id = VariantId(std::to_string(v));
      variant.accuracy = 0.65 + 0.3 * std::sqrt(size) - 0.02 * uniform(random);
      variant.frame_time[processor.id] = Seconds(slowest * std::pow(20.0, size - 1.0));
      variant.energy_per_inference = Joules(0.5 * std::pow(20.0, size - 1.0) * (0.8 + 0.4 * uniform(random)));
      variant.memory = Bytes(5e6 * std::pow(20.0, size) * (0.8 + 0.4 * uniform(random)));
      set.variants.push_back(std::move(variant));
    }
    memory += set.variants.back().memory->value();
    energy += set.variants.back().energy_per_inference->value() * rate;
    scheduler::Task task;
    task.id = TaskId(std::string("t").append(std::to_string(i)));
    task.profiles = std::make_shared<const profiles::ProfileSet>(std::move(set));
    task.demand = Fps(rate);
    snapshot.tasks.push_back(std::move(task));
  }
  snapshot.limits.memory = Bytes(0.5 * memory);
  snapshot.limits.energy_per_second = Watts(0.5 * energy);
  return snapshot;
}

void decide(benchmark::State& state, double load) {
  const ilp::GlpkSolver glpk;
  const auto policy = scheduler::make_policy(scheduler::PolicyKind::transprecision, glpk);
  std::vector<double> milliseconds;
  std::int64_t solver_calls = 0;
  std::uint64_t seed = kFirstSeed;
  for ([[maybe_unused]] const auto iteration : state) {
    const scheduler::Snapshot snapshot = instance(seed++, load);
    const auto start = std::chrono::steady_clock::now();
    const scheduler::Plan plan = policy->decide(snapshot, {});
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    solver_calls += plan.solver_calls;
    state.SetIterationTime(elapsed.count());
    milliseconds.push_back(elapsed.count() * 1e3);
  }
  state.counters["seeds"] = static_cast<double>(milliseconds.size());
  state.counters["solver_calls"] =
      static_cast<double>(solver_calls) / static_cast<double>(milliseconds.size());
  report_percentiles(state, std::move(milliseconds));
}

[[maybe_unused]] const bool kAdded = [] {
  benchmark::AddCustomContext("decide_first_seed", std::to_string(kFirstSeed));
  const auto add = [](const char* name, double load) {
    benchmark::RegisterBenchmark(name, [load](benchmark::State& state) { decide(state, load); })
        ->UseManualTime()
        ->Iterations(1000)
        ->Unit(benchmark::kMillisecond);
  };
  add("decide/5x12x3/fits", 2.5);
  add("decide/5x12x3/degrades", 40.0);
  return true;
}();

}  // namespace
}  // namespace saccade::bench
