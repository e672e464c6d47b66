// bench_micro --benchmark_filter=Dispatcher --benchmark_repetitions=9
// The dispatcher's own cost per frame: one offer, one next, one finished, with 64 tasks that all have
// frames waiting; and the same below a capacity that needs the busy window. Deadlines are drawn from
// the seed, so every call finds another task first. Bar: the median below 1 us.
#include <benchmark/benchmark.h>

#include <random>
#include <string>
#include <vector>

#include "runtime/frames/dispatcher.hpp"

namespace {

using namespace saccade;
using namespace saccade::runtime;

constexpr std::uint64_t kSeed = 20261120;

void dispatcher_frame(benchmark::State& state, double capacity) {
  const auto tasks = static_cast<std::size_t>(state.range(0));
  Dispatcher dispatcher({capacity}, tasks, 2);
  for (TaskIndex task = 0; task < tasks; ++task) {
    dispatcher.set_demand(task, Fps(25.0));
    dispatcher.set_rate(task, Fps(1e9), std::nullopt, TimePoint{});
    dispatcher.set_route(task, Route{0, task + 1});
  }
  std::mt19937_64 random(kSeed);
  std::vector<Duration> periods(4096);
  for (Duration& period : periods)
    period = Duration(20'000'000 + static_cast<std::int64_t>(random() % 40'000'000));
  TimePoint now{};
  FrameNumber frame = 0;
  for (TaskIndex task = 0; task < tasks; ++task) dispatcher.offer(task, ++frame, now, periods[task]);
  TaskIndex last = 0;
  for (auto step : state) {
    static_cast<void>(step);
    ++frame;
    // The task that just ran gets its next frame; a frame takes 0.3 of the 1 ms between frames.
    benchmark::DoNotOptimize(dispatcher.offer(last, frame, now, periods[frame % periods.size()]));
    const auto start = dispatcher.next(0, now);
    if (!start) {
      state.SkipWithError("nothing to run");
      return;
    }
    last = start->task;
    dispatcher.finished(0, now + Duration(300'000));
    now += Duration(1'000'000);
  }
  state.SetItemsProcessed(state.iterations());
}

void Dispatcher_whole_processor(benchmark::State& state) { dispatcher_frame(state, 1.0); }
void Dispatcher_half_processor(benchmark::State& state) { dispatcher_frame(state, 0.5); }

BENCHMARK(Dispatcher_whole_processor)->Arg(5)->Arg(64);
BENCHMARK(Dispatcher_half_processor)->Arg(5)->Arg(64);

[[maybe_unused]] const bool kContext = [] {
  benchmark::AddCustomContext("dispatcher_seed", std::to_string(kSeed));
  return true;
}();

}  // namespace
