// build/release/bench/bench_micro --benchmark_filter='^decide/' [--benchmark_format=json]
// What one decision costs, validation, filters, front, formulation and explanation included; processor
// time of the deciding thread; median, 99th percentile and maximum over many seeds, counted from
// kFirstSeed. The tables are the named families of bench/solver/families.hpp: `standard` fits,
// `elastic` needs 1.5 times the processor even with the quickest variants and has to be lowered.
// NxVxK: tasks, variants of each, limits; `unfiltered` keeps dominated variants in the tables.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <ctime>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "bench/micro/report.hpp"
#include "bench/solver/families.hpp"
#include "ilp/core_solver.hpp"
#include "ilp/glpk_solver.hpp"
#include "scheduler/policy.hpp"

namespace saccade::bench {
namespace {

constexpr std::uint64_t kFirstSeed = 1;

scheduler::Snapshot snapshot_of(const Instance& instance) {
  scheduler::Snapshot snapshot;
  for (std::size_t p = 0; p < instance.time_budgets.size(); ++p) {
    scheduler::Processor processor;
    processor.id = ProcessorId(std::string("p").append(std::to_string(p)));
    processor.capacity = instance.time_budgets[p] + processor.guard.value();
    snapshot.processors.push_back(std::move(processor));
  }
  for (std::size_t i = 0; i < instance.tasks.size(); ++i) {
    const TaskTable& table = instance.tasks[i];
    profiles::ProfileSet set;
    for (const VariantRow& row : table.variants) {
      profiles::Variant variant;
      variant.id = VariantId(std::to_string(set.variants.size()));
      variant.accuracy = row.accuracy / 100.0;
      variant.frame_time[snapshot.processors[row.processor].id] = Seconds(row.time_ms / 1000.0);
      variant.energy_per_inference = Joules(row.energy_joules());
      variant.memory = Bytes(row.memory_mb * 1e6);
      set.variants.push_back(std::move(variant));
    }
    scheduler::Task task;
    task.id = TaskId(std::string("t").append(std::to_string(i)));
    task.profiles = std::make_shared<const profiles::ProfileSet>(std::move(set));
    task.demand = Fps(table.rate);
    task.weight = table.weight;
    if (table.min_accuracy) task.min_accuracy = *table.min_accuracy / 100.0;
    snapshot.tasks.push_back(std::move(task));
  }
  if (instance.energy_limit) snapshot.limits.energy_per_second = Watts(*instance.energy_limit);
  if (instance.memory_limit_mb) snapshot.limits.memory = Bytes(*instance.memory_limit_mb * 1e6);
  return snapshot;
}

double thread_seconds() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Answers at once with the first option of every group: what is left is the planner's own work.
class NoSolver final : public ilp::ChoiceSolver {
 public:
  [[nodiscard]] const char* name() const override { return "none"; }
  [[nodiscard]] ilp::ChoiceResult solve(const ilp::ChoiceProblem& problem,
                                        const ilp::SolveLimits& /*limits*/) const override {
    ilp::ChoiceResult result;
    result.verdict = ilp::Verdict::feasible;
    result.picks.assign(problem.groups.size(), 0);
    result.evaluation = ilp::evaluate(problem, result.picks);
    return result;
  }
};

void decide(benchmark::State& state, const ilp::ChoiceSolver& solver, Family family,
            const InstanceShape& shape) {
  const auto policy = scheduler::make_policy(scheduler::PolicyKind::transprecision, solver);
  std::vector<double> milliseconds;
  std::int64_t solver_calls = 0;
  int proven = 0;
  std::uint64_t seed = kFirstSeed;
  for ([[maybe_unused]] const auto iteration : state) {
    const scheduler::Snapshot snapshot = snapshot_of(make_tables(family, shape, seed++));
    const double start = thread_seconds();
    const scheduler::Plan plan = policy->decide(snapshot, {});
    const double elapsed = thread_seconds() - start;
    solver_calls += plan.solver_calls;
    proven += plan.loss_gap == 0.0 && plan.gap && *plan.gap <= 1e-9 ? 1 : 0;
    state.SetIterationTime(elapsed);
    milliseconds.push_back(elapsed * 1e3);
  }
  const auto seeds = static_cast<double>(milliseconds.size());
  state.counters["seeds"] = seeds;
  state.counters["solver_calls"] = static_cast<double>(solver_calls) / seeds;
  state.counters["proven"] = proven / seeds;
  report_percentiles(state, std::move(milliseconds));
}

struct Case {
  Family family;
  InstanceShape shape;
  int seeds;
};

template <class Solver>
void add(const std::vector<Case>& cases) {
  static const Solver solver;
  for (const Case& c : cases) {
    std::ostringstream name;
    name << "decide/" << solver.name() << '/' << to_string(c.family) << '/' << c.shape.groups << 'x'
         << c.shape.options << 'x' << c.shape.rows << (c.shape.filtered ? "" : "/unfiltered");
    benchmark::RegisterBenchmark(name.str().c_str(),
                                 [c](benchmark::State& state) { decide(state, solver, c.family, c.shape); })
        ->UseManualTime()
        ->Iterations(c.seeds)
        ->Unit(benchmark::kMillisecond);
  }
}

[[maybe_unused]] const bool kAdded = [] {
  benchmark::AddCustomContext("decide_first_seed", std::to_string(kFirstSeed));
  const auto shape = [](std::size_t groups, std::size_t options, bool filtered = true) {
    InstanceShape of;
    of.groups = groups;
    of.options = options;
    of.filtered = filtered;
    return of;
  };
  add<ilp::CoreSolver>({{Family::standard, shape(5, 12), 200},
                        {Family::standard, shape(5, 60), 200},
                        {Family::standard, shape(5, 600, false), 200},
                        {Family::standard, shape(20, 60), 200},
                        {Family::standard, shape(100, 60), 50},
                        {Family::standard, shape(1000, 60), 5},
                        {Family::elastic, shape(5, 60), 200},
                        {Family::elastic, shape(20, 60), 200}});
  add<ilp::GlpkSolver>({{Family::standard, shape(5, 60), 50}, {Family::elastic, shape(5, 60), 50}});
  add<NoSolver>({{Family::standard, shape(5, 60), 200},
                 {Family::standard, shape(5, 600, false), 200},
                 {Family::standard, shape(100, 60), 50},
                 {Family::standard, shape(1000, 60), 5}});
  return true;
}();

}  // namespace
}  // namespace saccade::bench
