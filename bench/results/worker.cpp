#include "bench/results/worker.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "runtime/machine/thread_settings.hpp"

namespace saccade::bench {
namespace {

constexpr std::size_t kObjects = 8;  // in each result

}  // namespace

Result<std::unique_ptr<runtime::Engine>> worker_engine(const ResultsScenario& scenario) {
  const runtime::RunConfig& run = scenario.run;
  const auto backend = runtime::make_backend(run.backend, run.graph_cache, run.engine_library);
  if (!backend) return backend.errors();
  const profiles::ProfileSet& set = *run.timeline.front().snapshot.tasks.front().profiles;
  const auto best =
      std::max_element(set.variants.begin(), set.variants.end(),
                       [](const auto& one, const auto& other) { return one.accuracy < other.accuracy; });
  runtime::EngineSpec spec =
      runtime::engine_spec(set, static_cast<std::size_t>(best - set.variants.begin()), 1);
  spec.processor = run.processors.front().id;
  auto engine = backend.value()->load(spec);
  if (!engine) return engine.errors();
  if (const Status prepared = prepare_black(*engine.value(), spec); !prepared) return prepared.errors();
  return engine;
}

Result<std::vector<double>> hand_over(const ResultsScenario& scenario, Duration length, double per_second,
                                      runtime::Engine* engine, runtime::ResultListener& listener) {
  const scheduler::Task& task = scenario.run.timeline.front().snapshot.tasks.front();
  const runtime::ServedTask served{task.id, task.profiles};
  vision::Objects objects;
  for (std::size_t i = 0; i < kObjects; ++i) {
    const auto at = static_cast<float>(10 * i);
    objects.push_back({{at, at, 40.0F, 30.0F}, static_cast<int>(i % task.profiles->labels.size()), 0.9F, 0});
  }
  runtime::pin_to(scenario.serving_cpus);
  runtime::wake_precisely();
  const Duration between = to_duration(Seconds(1.0 / per_second));
  const auto count = std::max<std::int64_t>(1, length / between);
  std::vector<double> times;
  times.reserve(static_cast<std::size_t>(count));
  runtime::Outputs outputs;
  const auto begin = std::chrono::steady_clock::now();
  for (std::int64_t i = 0; i < count; ++i) {
    std::this_thread::sleep_until(begin + i * between);
    if (engine != nullptr) {
      if (const Status done = engine->infer(outputs); !done) return done.errors();
    }
    const auto before = std::chrono::steady_clock::now();
    const Duration now = before.time_since_epoch();
    listener.seen({.task = served,
                   .number = static_cast<runtime::FrameNumber>(i + 1),
                   .generation = 1,
                   .captured_monotonic = now,
                   .ended = now,
                   .objects = objects});
    const Duration took = std::chrono::steady_clock::now() - before;
    times.push_back(static_cast<double>(took.count()) * 1e-3);
  }
  return times;
}

}  // namespace saccade::bench
