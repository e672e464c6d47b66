// build/release/bench/bench_micro --benchmark_filter='^solve/' [--benchmark_format=json]
// Time of one solve over many seeds: median, 99th percentile and maximum per family, tasks, variants
// and rows. The instances are those of bench/solver/choice_instances.hpp; seeds count from kFirstSeed.
#include <benchmark/benchmark.h>

#include <chrono>
#include <sstream>
#include <string>

#include "bench/micro/report.hpp"
#include "bench/solver/choice_instances.hpp"
#include "ilp/core_solver.hpp"
#include "ilp/exhaustive_solver.hpp"
#include "ilp/glpk_solver.hpp"

namespace saccade::bench {
namespace {

constexpr std::uint64_t kFirstSeed = 1;

void solve(benchmark::State& state, const ilp::ChoiceSolver& solver, ChoiceFamily family,
           const ChoiceShape& shape) {
  std::vector<double> milliseconds;
  std::uint64_t seed = kFirstSeed;
  int proven = 0;
  for ([[maybe_unused]] const auto iteration : state) {
    const ilp::ChoiceProblem problem = random_choice_problem(family, shape, seed++);
    const auto start = std::chrono::steady_clock::now();
    const ilp::ChoiceResult result = solver.solve(problem, {});
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    const bool settled = result.verdict != ilp::Verdict::unknown && result.limit == ilp::Limit::none;
    proven += settled ? 1 : 0;
    state.SetIterationTime(elapsed.count());
    milliseconds.push_back(elapsed.count() * 1e3);
  }
  state.counters["proven"] = static_cast<double>(proven) / static_cast<double>(milliseconds.size());
  state.counters["seeds"] = static_cast<double>(milliseconds.size());
  report_percentiles(state, std::move(milliseconds));
}

struct Case {
  ChoiceFamily family;
  ChoiceShape shape;
  int seeds;
};

template <class Solver>
void add(const std::vector<Case>& cases) {
  static const Solver solver;
  for (const Case& c : cases) {
    std::ostringstream name;
    name << "solve/" << solver.name() << '/';
    for (const auto& [family, family_name] : kChoiceFamilies) {
      if (family == c.family) name << family_name;
    }
    name << '/' << c.shape.tasks << 'x' << c.shape.variants << 'x' << c.shape.rows;
    benchmark::RegisterBenchmark(name.str().c_str(),
                                 [c](benchmark::State& state) { solve(state, solver, c.family, c.shape); })
        ->UseManualTime()
        ->Iterations(c.seeds)
        ->Unit(benchmark::kMillisecond);
  }
}

[[maybe_unused]] const bool kAdded = [] {
  benchmark::AddCustomContext("solve_first_seed", std::to_string(kFirstSeed));
  add<ilp::GlpkSolver>({{ChoiceFamily::standard, {5, 12, 3}, 1000},
                        {ChoiceFamily::identical, {5, 12, 3}, 100},
                        {ChoiceFamily::correlated, {5, 12, 3}, 100},
                        {ChoiceFamily::min_memory, {5, 12, 3}, 100},
                        {ChoiceFamily::processors, {5, 12, 3}, 100},
                        {ChoiceFamily::peaks, {5, 12, 3}, 100},
                        {ChoiceFamily::infeasible, {5, 12, 3}, 100},
                        {ChoiceFamily::elastic, {5, 12, 3}, 100},
                        {ChoiceFamily::standard, {5, 60, 3}, 100},
                        {ChoiceFamily::standard, {10, 60, 3}, 20},
                        {ChoiceFamily::standard, {20, 60, 3}, 10}});
  add<ilp::CoreSolver>({{ChoiceFamily::standard, {5, 12, 3}, 1000},
                        {ChoiceFamily::identical, {5, 12, 3}, 100},
                        {ChoiceFamily::correlated, {5, 12, 3}, 100},
                        {ChoiceFamily::min_memory, {5, 12, 3}, 100},
                        {ChoiceFamily::processors, {5, 12, 3}, 100},
                        {ChoiceFamily::peaks, {5, 12, 3}, 100},
                        {ChoiceFamily::infeasible, {5, 12, 3}, 100},
                        {ChoiceFamily::elastic, {5, 12, 3}, 100},
                        {ChoiceFamily::standard, {5, 60, 3}, 100},
                        {ChoiceFamily::standard, {10, 60, 3}, 100},
                        {ChoiceFamily::standard, {100, 60, 3}, 20}});
  add<ilp::ExhaustiveSolver>(
      {{ChoiceFamily::standard, {5, 8, 3}, 20}, {ChoiceFamily::standard, {4, 12, 3}, 20}});
  return true;
}();

}  // namespace
}  // namespace saccade::bench
