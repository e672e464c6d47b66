// build/release/bench/bench_micro --benchmark_filter='^decode/' [--benchmark_format=json]
// Time of one picture in a decoder, by layout and size of the output, with a plain loop over candidates and
// classes next to it, and of the suppression alone: `candidates` boxes above the threshold, none of which
// suppresses another (`apart`, the longest way) or in heaps of 20 on average (`heaps`). CPU time of the
// thread. Goals: [84, 8400] at most 0.4 ms in the median; 3000 candidates at most 3 ms.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "bench/detectors/made_outputs.hpp"
#include "bench/micro/report.hpp"

namespace saccade::bench {
namespace {

using profiles::YoloLayout;

template <class Work>
void measure(benchmark::State& state, const Work& work) {
  std::vector<double> milliseconds;
  std::size_t picture = 0;
  for ([[maybe_unused]] const auto iteration : state) {
    const double start = thread_cpu_seconds();
    work(picture++);
    const double elapsed = thread_cpu_seconds() - start;
    state.SetIterationTime(elapsed);
    milliseconds.push_back(elapsed * 1e3);
  }
  report_percentiles(state, std::move(milliseconds));
}

void product(benchmark::State& state, const MadeOutputs& made) {
  auto decoder = ProductDecoder::make(made);
  if (!decoder) return state.SkipWithError(to_string(decoder.errors()).c_str());
  measure(state, [&](std::size_t picture) {
    decoder.value().decode(picture);
    benchmark::DoNotOptimize(decoder.value().objects().data());
  });
  state.counters["objects"] = static_cast<double>(decoder.value().objects().size());
}

void plain(benchmark::State& state, const MadeOutputs& made, const Steps& steps, std::size_t candidates) {
  std::size_t found = 0;
  measure(state, [&](std::size_t picture) {
    found = plain_scan(made, picture, steps, candidates);
    benchmark::DoNotOptimize(found);
  });
  state.counters["candidates"] = static_cast<double>(found);
}

void anchors_last(benchmark::State& state) {
  product(state, made_outputs(YoloLayout::anchors_last, 8400, 84));
}
// What a broken network or a threshold of 0 gives: nearly all are candidates.
void anchors_last_flooded(benchmark::State& state) {
  product(state, made_outputs(YoloLayout::anchors_last, 8400, 84, 50'000));
}
void anchors_last_plain(benchmark::State& state) {
  plain(state, made_outputs(YoloLayout::anchors_last, 8400, 84), {1, 8400}, 8400);
}
void anchors_first(benchmark::State& state) {
  product(state, made_outputs(YoloLayout::anchors_first, 8400, 84));
}
void anchors_first_plain(benchmark::State& state) {
  plain(state, made_outputs(YoloLayout::anchors_first, 8400, 84), {84, 1}, 8400);
}
void objectness(benchmark::State& state) { product(state, made_outputs(YoloLayout::objectness, 25200, 85)); }

void suppression(benchmark::State& state, bool heaps) {
  product(state, made_candidates(static_cast<std::size_t>(state.range(0)), heaps));
}
void suppression_apart(benchmark::State& state) { suppression(state, false); }
void suppression_heaps(benchmark::State& state) { suppression(state, true); }

[[maybe_unused]] const bool kDecodeSeedSaid = [] {
  benchmark::AddCustomContext("decode_seed", std::to_string(kDecodeSeed));
  return true;
}();
BENCHMARK(anchors_last)->Name("decode/anchors_last/84x8400")->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(anchors_last_flooded)
    ->Name("decode/anchors_last/84x8400/flooded")
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(anchors_last_plain)
    ->Name("decode/anchors_last/84x8400/plain")
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(anchors_first)
    ->Name("decode/anchors_first/8400x84")
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(anchors_first_plain)
    ->Name("decode/anchors_first/8400x84/plain")
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(objectness)->Name("decode/objectness/25200x85")->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(suppression_apart)
    ->Name("decode/suppression/apart")
    ->Arg(300)
    ->Arg(1000)
    ->Arg(3000)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(suppression_heaps)
    ->Name("decode/suppression/heaps")
    ->Arg(300)
    ->Arg(1000)
    ->Arg(3000)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace saccade::bench
