// Beyond the paper: how many switches the policy makes that an oracle with knowledge of the future would
// not. Planned only, on the random steps whose demand fits.
#include <algorithm>
#include <cmath>
#include <optional>

#include "bench/paper/experiments.hpp"
#include "bench/paper/oracle.hpp"
#include "ilp/core_solver.hpp"
#include "scheduler/transprecision.hpp"

namespace saccade::bench {
namespace {

struct Played {
  std::size_t switches = 0;
  double objective = 0.0;  // mean over the steps
};

// Plans step after step; `remembers`: every plan knows what runs.
Played play(const std::vector<scheduler::Snapshot>& steps, bool remembers, double penalty) {
  const ilp::CoreSolver solver;
  const scheduler::Transprecision policy(solver);
  Played played;
  std::optional<Choice> last;
  for (scheduler::Snapshot snapshot : steps) {
    snapshot.switch_penalty.max_accuracy = penalty;
    for (std::size_t i = 0; remembers && last && i < snapshot.tasks.size(); ++i) {
      snapshot.tasks[i].running = (*last)[i];
    }
    const scheduler::Plan plan = policy.decide(snapshot, {});
    Choice choice;
    for (const scheduler::Assignment& task : plan.tasks) choice.push_back(task.variant.value_or(0));
    if (last) played.switches += switches_between(*last, choice);
    played.objective += plan.objective_value.value_or(0.0) / static_cast<double>(steps.size());
    last = std::move(choice);
  }
  return played;
}

}  // namespace

Result<Finding> known_future(const Context& context) {
  RandomRanges ranges = context.bed.scenario.random;
  ranges.steps = context.bed.scenario.oracle_steps;
  const ilp::CoreSolver solver;
  std::vector<scheduler::Snapshot> steps;
  std::vector<double> best;
  for (const runtime::TimelineState& state : draw_steps(context.bed, ranges, context.bed.scenario.seed)) {
    scheduler::Snapshot snapshot = state.snapshot;
    snapshot.degrade = scheduler::Degrade::refuse;
    const scheduler::Plan plan = scheduler::Transprecision(solver).decide(snapshot, {});
    if (plan.status != scheduler::PlanStatus::optimal) continue;
    best.push_back(*plan.objective_value);
    steps.push_back(std::move(snapshot));
  }
  Finding finding;
  finding.name = "oracle";
  finding.title = "Beyond the paper: an oracle that knows the future";
  finding.about =
      "The first " + std::to_string(ranges.steps) + " random steps, of which " +
      std::to_string(steps.size()) +
      " fit; planned, not run. The oracle lists every choice that reaches the best objective of its step "
      "and takes the sequence with the fewest switches. With a penalty the policy may stay behind the "
      "best objective to save switches.";
  if (steps.empty()) return finding;
  std::vector<std::vector<Choice>> choices(steps.size());
  const std::vector<double>& penalties = context.bed.scenario.switch_penalties;
  std::vector<Played> played(2 + penalties.size());
  context.workers.each(steps.size() + played.size(), [&](std::size_t i) {
    if (i < played.size()) {
      played[i] = play(steps, i != 0, i < 2 ? 0.0 : penalties[i - 2]);
    } else {
      const std::size_t step = i - played.size();
      choices[step] = best_choices(steps[step], best[step]);
    }
  });
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (choices[i].empty()) {
      finding.breaches.push_back("step " + std::to_string(i) +
                                 ": the oracle finds no choice as good as the plan");
      return finding;
    }
  }
  const std::size_t fewest = fewest_switches(choices);
  double mean_best = 0.0;
  for (const double each : best) mean_best += each / static_cast<double>(best.size());
  FindingTable table{"oracle",
                     "Switches",
                     {"who", "switches", "per step", "mean objective", "switches beyond the oracle's"},
                     {},
                     true};
  const auto row = [&](const std::string& who, std::size_t switches, double objective) {
    const auto count = static_cast<double>(switches);
    table.rows.push_back({word(who), number(count, 0), number(count / static_cast<double>(steps.size()), 2),
                          percent(objective, 3),
                          fewest == 0 ? absent() : percent(count / static_cast<double>(fewest) - 1.0)});
  };
  row("oracle", fewest, mean_best);
  row("policy: fewest switches among equals", played[1].switches, played[1].objective);
  row("policy that does not know what runs", played[0].switches, played[0].objective);
  for (std::size_t i = 0; i < penalties.size(); ++i) {
    row("policy, switch penalty " + number(penalties[i], 4).text, played[i + 2].switches,
        played[i + 2].objective);
  }
  const auto tied = std::count_if(choices.begin(), choices.end(),
                                  [](const std::vector<Choice>& each) { return each.size() > 1; });
  finding.remarks = {
      std::to_string(tied) + " of " + std::to_string(steps.size()) +
      " steps have more than one best choice; only there knowing the future, or what runs, can save a "
      "switch without giving up anything."};
  finding.tables.push_back(std::move(table));
  finding.requirements = {{"the policy's objective is the oracle's",
                           percent(played[1].objective, 6).text + " and " + percent(mean_best, 6).text,
                           std::abs(played[1].objective - mean_best) <= 1e-9}};
  return finding;
}

}  // namespace saccade::bench
