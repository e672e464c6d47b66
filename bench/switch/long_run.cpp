#include "bench/switch/long_run.hpp"

#include <algorithm>

#include "config/solvers.hpp"
#include "runtime/real/real_shell.hpp"
#include "runtime/simulation/simulated_shell.hpp"

namespace saccade::bench {
namespace {

Duration length_of(const runtime::RunConfig& config) {
  const auto& timeline = config.timeline;
  if (timeline.size() < 2) return std::chrono::seconds(5);
  return timeline.back().at + (timeline.back().at - timeline[timeline.size() - 2].at);
}

}  // namespace

Result<LongRun> run_long(const runtime::RunConfig& config,
                         std::shared_ptr<const runtime::EngineBackend> backend,
                         const std::function<void(double share)>& progress) {
  const auto solver = config::make_solver(config.solver);
  const auto policy = scheduler::make_policy(config.policy, *solver);
  const Duration length = length_of(config);
  LongRun run;
  run.changes = config.timeline.size() - 1;

  auto simulation = runtime::SimulatedShell::open(config, *policy, {length, kSimulationSeed, {}}, {});
  if (!simulation) return simulation.errors();
  run.simulated = simulation.value()->run().summary;

  runtime::RunHooks hooks;
  hooks.status_interval = std::chrono::seconds(1);
  hooks.status = [&](const runtime::RunStatus& status) {
    if (progress) progress(std::min(1.0, to_seconds(status.at) / to_seconds(length)));
  };
  auto shell = runtime::RealShell::open(config, std::move(backend), *policy, hooks);
  if (!shell) return shell.errors();
  run.real = shell.value()->run(length);
  return run;
}

double achieved_without_outside(const runtime::RunSummary& summary) {
  double sum = 0.0;
  double tasks = 0.0;
  for (const runtime::TaskSummary& task : summary.tasks) {
    const auto demanded = static_cast<double>(task.demanded - task.dropped_in_stall - task.missed_in_stall);
    if (demanded <= 0.0) continue;
    sum += static_cast<double>(task.processed) / demanded;
    tasks += 1.0;
  }
  return tasks > 0.0 ? sum / tasks : 0.0;
}

}  // namespace saccade::bench
