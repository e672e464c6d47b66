// The simulation against real engines on one scenario: what all simulated experiments stand on.
#include <algorithm>
#include <cmath>
#include <vector>

#include "bench/paper/experiments.hpp"
#include "bench/paper/trial.hpp"
#include "bench/real_run.hpp"
#include "config/config.hpp"
#include "ilp/core_solver.hpp"

namespace saccade::bench {
namespace {

constexpr double kRunSeconds = 20.0;
constexpr double kHalfAPoint = 0.005;

// "from -> to" of every switch of one task, in order.
std::vector<std::string> switches_of(const runtime::RunSummary& summary, const TaskId& task) {
  std::vector<std::string> words;
  for (const runtime::SwitchSummary& each : summary.switches) {
    if (each.task != task) continue;
    words.push_back((each.from ? each.from->str() : "-") + " > " + (each.to ? each.to->str() : "-"));
  }
  return words;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& each : words) text += (text.empty() ? "" : "; ") + each;
  return text.empty() ? "none" : text;
}

double difference(const std::optional<double>& a, const std::optional<double>& b) {
  return std::abs(a.value_or(0.0) - b.value_or(0.0));
}

}  // namespace

Result<Finding> simulated_against_real(const Context& context) {
  const Result<config::LoadedConfig> loaded = config::read_config(context.real_config);
  if (!loaded) return loaded.errors();
  const runtime::RunConfig& config = loaded.value().run;
  const ilp::CoreSolver solver;
  const auto policy = scheduler::make_policy(config.policy, solver);
  const Result<runtime::RunSummary> real = run_real(config, *policy, to_duration(Seconds(kRunSeconds)));
  if (!real) return real.errors();
  const SimulatedRun trial = simulate(config, *policy, Seconds(kRunSeconds), context.bed.scenario.seed);
  const runtime::RunSummary& there = real.value();
  const runtime::RunSummary& here = trial.summary;

  Finding finding;
  finding.name = "real";
  finding.title = "The simulation against real engines";
  finding.about =
      "The same configuration (" + context.real_config.filename().string() + ") for " +
      number(kRunSeconds, 0).text +
      " s in the simulation and on the engine library, with demands and a memory limit that change.";
  if (!trial.breach.empty()) finding.breaches.push_back(trial.breach);
  FindingTable table{"real",
                     "Simulated / real",
                     {"task", "achieved", "relative accuracy", "switches, simulated", "switches, real"},
                     {}};
  double rate = 0.0, accuracy = 0.0;
  bool same = true;
  for (std::size_t i = 0; i < here.tasks.size(); ++i) {
    const runtime::TaskSummary& simulated = here.tasks[i];
    const runtime::TaskSummary& ran = there.tasks[i];
    rate = std::max(rate, difference(simulated.achieved_rate, ran.achieved_rate));
    accuracy = std::max(accuracy, difference(simulated.mean_relative_accuracy, ran.mean_relative_accuracy));
    const auto expected = switches_of(here, simulated.id), made = switches_of(there, simulated.id);
    same = same && expected == made;
    table.rows.push_back(
        {word(simulated.id.str()),
         word(percent(simulated.achieved_rate, 2).text + " / " + percent(ran.achieved_rate, 2).text),
         word(percent(simulated.mean_relative_accuracy, 2).text + " / " +
              percent(ran.mean_relative_accuracy, 2).text),
         word(joined(expected)), word(expected == made ? "the same" : joined(made))});
  }
  finding.tables.push_back(std::move(table));
  finding.requirements = {{"achieved rate within 0.5 points, every task",
                           number(100.0 * rate, 2).text + " points at most", rate <= kHalfAPoint},
                          {"the same switches, every task", same ? "the same" : "they differ", same},
                          {"the same accuracy (within 0.5 points), every task",
                           number(100.0 * accuracy, 2).text + " points at most", accuracy <= kHalfAPoint}};
  if (there.outside.watched) {
    finding.remarks = {"While it ran, a CPU was held from outside " + std::to_string(there.stalls) +
                       " times for at least 20 ms, " + number(1e3 * there.longest_stall.value(), 0).text +
                       " ms at most."};
  }
  return finding;
}

}  // namespace saccade::bench
