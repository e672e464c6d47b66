#include "bench/paper/sweep.hpp"

#include <algorithm>
#include <numeric>

#include "bench/paper/trial.hpp"
#include "ilp/core_solver.hpp"
#include "scheduler/heuristics.hpp"

namespace saccade::bench {
namespace {

using scheduler::kPolicyKinds;

Point measure_point(const Context& context, const RateTrial& trial, double rate,
                    const scheduler::Policy& policy, std::string& breach) {
  const RateSweep& sweep = trial.rates;
  const scheduler::Snapshot snapshot = trial.tasks_at(Fps(rate));
  Point point;
  std::vector<double> achieved;
  for (int seed = 0; seed < sweep.seeds; ++seed) {
    const SimulatedRun run = simulate(run_config(snapshot), policy, sweep.seconds,
                                      context.bed.scenario.seed + static_cast<std::uint64_t>(seed));
    if (!run.breach.empty()) breach = run.breach;
    const runtime::RunSummary& summary = run.summary;
    achieved.push_back(summary.achieved_rate.value_or(0.0));
    point.accuracy += summary.mean_relative_accuracy.value_or(0.0) / sweep.seeds;
    point.delivered += summary.delivered_accuracy.value_or(0.0) / sweep.seeds;
    point.busy += summary.processors.front().busy_share / sweep.seeds;
    for (const runtime::TaskSummary& task : summary.tasks) {
      point.least_task = std::min(point.least_task, task.achieved_rate.value_or(1.0));
      point.least_accuracy = std::min(point.least_accuracy, task.mean_relative_accuracy.value_or(1.0));
    }
    if (seed > 0 || !run.states.front()) continue;
    for (const scheduler::Assignment& task : run.states.front()->plan.tasks) {
      point.shares.push_back(task.time_share.empty() ? 0.0 : task.time_share.front());
    }
    point.memory = run.states.front()->plan.totals.memory.value_or(Bytes(0.0)).value();
  }
  point.achieved = spread_of(achieved);
  return point;
}

}  // namespace

RateTrial networks_of_the_scenario(const Context& context) {
  return {context.bed.scenario.rates,
          [&bed = context.bed](Fps rate) { return snapshot_of(bed, bed.measured, rate); }};
}

double full_at(const RateTrial& trial) {
  const scheduler::Snapshot snapshot = trial.tasks_at(Fps(1.0));
  double seconds = 0.0;
  for (const scheduler::Task& task : snapshot.tasks) {
    const std::vector<scheduler::VariantCost> costs = scheduler::variant_costs(snapshot, task);
    std::vector<std::size_t> all(costs.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    seconds += costs[*scheduler::most_accurate(costs, all)].total_time().value();
  }
  return snapshot.processors.front().budget() / seconds;
}

Sweep sweep_rates(const Context& context, const RateTrial& trial, std::vector<std::string>& breaches) {
  const RateSweep& wanted = trial.rates;
  Sweep sweep;
  for (int rate = wanted.from; rate <= wanted.to; ++rate) sweep.rates.push_back(rate);
  for (const scheduler::PolicyKind kind : kPolicyKinds) sweep.points[kind].resize(sweep.rates.size());
  std::vector<std::string> broken(sweep.rates.size() * kPolicyKinds.size());
  const ilp::CoreSolver solver;
  context.workers.each(broken.size(), [&](std::size_t i) {
    const scheduler::PolicyKind kind = kPolicyKinds[i % kPolicyKinds.size()];
    const std::size_t rate = i / kPolicyKinds.size();
    const auto policy = scheduler::make_policy(kind, solver);
    sweep.points[kind][rate] = measure_point(context, trial, sweep.rates[rate], *policy, broken[i]);
  });
  for (const std::string& each : broken) {
    if (!each.empty()) breaches.push_back(each);
  }
  return sweep;
}

std::string sweep_words(const Context& context) {
  const Scenario& scenario = context.bed.scenario;
  std::size_t variants = 0;
  for (const auto& set : context.bed.measured) variants += set->variants.size();
  return std::to_string(scenario.tasks.size()) + " tasks, one network of the zoo each, " +
         std::to_string(variants) + " variants with their measured profiles; every frame is cut into " +
         std::to_string(scenario.columns * scenario.rows) +
         " regions, so that the most accurate variants together fill one core at " +
         number(full_at(networks_of_the_scenario(context)), 1).text +
         " frames/s per task, well inside the paper's range of rates. Guard " +
         number(1e3 * scenario.guard.value(), 0).text + " ms per second.";
}

app::Chart sweep_chart(const RateSweep& rates, const std::string& title, const std::string& y_label) {
  app::Chart chart;
  chart.title = title;
  chart.x_label = "demand of every task (frames/s); " + std::to_string(rates.seeds) + " seeds";
  chart.y_label = y_label;
  return chart;
}

app::Series sweep_line(const Sweep& sweep, const std::string& name) {
  app::Series series;
  series.name = name;
  series.style = app::Series::Style::lines;
  series.x = sweep.rates;
  return series;
}

}  // namespace saccade::bench
