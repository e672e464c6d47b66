// build/release/bench/bench_micro --benchmark_filter='^front/' [--benchmark_format=json]
// Time of one front over uniform random points, by number of points and measures.
#include <benchmark/benchmark.h>

#include <string>

#include "bench/solver/random.hpp"
#include "pareto/front.hpp"

namespace saccade::bench {
namespace {

constexpr std::uint64_t kSeed = 1;

void front(benchmark::State& state) {
  bench::Random random(kSeed);
  Eigen::MatrixXd costs(state.range(0), state.range(1));
  for (Eigen::Index i = 0; i < costs.size(); ++i) costs.data()[i] = random.uniform();
  std::size_t kept = 0;
  for ([[maybe_unused]] const auto iteration : state) kept = pareto::front(costs).size();
  state.counters["kept"] = static_cast<double>(kept);
}
[[maybe_unused]] const bool kSeedSaid = [] {
  benchmark::AddCustomContext("front_seed", std::to_string(kSeed));
  return true;
}();
BENCHMARK(front)
    ->Name("front/points/measures")
    ->Args({3'000, 4})
    ->Args({100'000, 2})
    ->Args({100'000, 4})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace saccade::bench
