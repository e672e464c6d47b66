// Beyond the paper: how many switches the policy makes that an oracle with knowledge of the future would
// not. Planned only, on the random steps whose demand fits.
#include <algorithm>
#include <cmath>
#include <functional>
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

struct Future {  // the steps whose demand fits, with the best objective of each
  std::vector<scheduler::Snapshot> steps;
  std::vector<double> best;
};

Future steps_to_come(const Context& context, const RandomRanges& ranges) {
  const ilp::CoreSolver solver;
  Future future;
  for (const runtime::TimelineState& state : draw_steps(context.bed, ranges, context.bed.scenario.seed)) {
    scheduler::Snapshot snapshot = state.snapshot;
    snapshot.degrade = scheduler::Degrade::refuse;
    const scheduler::Plan plan = scheduler::Transprecision(solver).decide(snapshot, {});
    if (plan.status != scheduler::PlanStatus::optimal) continue;
    future.best.push_back(*plan.objective_value);
    future.steps.push_back(std::move(snapshot));
  }
  return future;
}

struct PlayedFuture {
  Played oblivious;  // a policy that does not know what runs
  Played ours;
  std::vector<Played> penalised;             // by the scenario's switch penalties
  std::vector<std::vector<Choice>> choices;  // by step: all that the oracle may take
};

PlayedFuture play_all(const Context& context, const Future& future) {
  const std::vector<double>& penalties = context.bed.scenario.switch_penalties;
  PlayedFuture played;
  played.penalised.resize(penalties.size());
  played.choices.resize(future.steps.size());
  std::vector<std::function<void()>> pieces = {[&] { played.oblivious = play(future.steps, false, 0.0); },
                                               [&] { played.ours = play(future.steps, true, 0.0); }};
  for (std::size_t i = 0; i < penalties.size(); ++i) {
    pieces.emplace_back([&, i] { played.penalised[i] = play(future.steps, true, penalties[i]); });
  }
  for (std::size_t i = 0; i < future.steps.size(); ++i) {
    pieces.emplace_back([&, i] { played.choices[i] = best_choices(future.steps[i], future.best[i]); });
  }
  context.workers.each(pieces.size(), [&](std::size_t i) { pieces[i](); });
  return played;
}

FindingTable switches_table(const std::vector<double>& penalties, const PlayedFuture& played,
                            double mean_best) {
  FindingTable table{"oracle",
                     "Switches",
                     {"who", "switches", "per step", "mean objective", "switches beyond the oracle's"},
                     {},
                     true};
  const std::size_t fewest = fewest_switches(played.choices);
  const auto steps = static_cast<double>(played.choices.size());
  const auto row = [&](const std::string& name, const Played& each) {
    const auto count = static_cast<double>(each.switches);
    table.rows.push_back({word(name), number(count, 0), number(count / steps, 2), percent(each.objective, 3),
                          fewest == 0 ? absent() : percent(count / static_cast<double>(fewest) - 1.0)});
  };
  row("oracle", {fewest, mean_best});
  row("policy: fewest switches among equals", played.ours);
  row("policy that does not know what runs", played.oblivious);
  for (std::size_t i = 0; i < penalties.size(); ++i) {
    row("policy, switch penalty " + number(penalties[i], 4).text, played.penalised[i]);
  }
  return table;
}

}  // namespace

Result<Finding> known_future(const Context& context) {
  RandomRanges ranges = context.bed.scenario.random;
  ranges.steps = context.bed.scenario.oracle_steps;
  const Future future = steps_to_come(context, ranges);
  const std::string fitting = std::to_string(future.steps.size());
  Finding finding;
  finding.name = "oracle";
  finding.title = "Beyond the paper: an oracle that knows the future";
  finding.about =
      "The first " + std::to_string(ranges.steps) + " random steps, of which " + fitting +
      " fit; planned, not run. The oracle lists every choice that reaches the best objective of its step "
      "and takes the sequence with the fewest switches. With a penalty the policy may stay behind the "
      "best objective to save switches.";
  if (future.steps.empty()) return finding;
  const PlayedFuture played = play_all(context, future);
  const auto none = std::find_if(played.choices.begin(), played.choices.end(),
                                 [](const std::vector<Choice>& each) { return each.empty(); });
  if (none != played.choices.end()) {
    finding.breaches.push_back("step " + std::to_string(none - played.choices.begin()) +
                               ": the oracle finds no choice as good as the plan");
    return finding;
  }
  double mean_best = 0.0;
  for (const double each : future.best) mean_best += each / static_cast<double>(future.best.size());
  finding.tables.push_back(switches_table(context.bed.scenario.switch_penalties, played, mean_best));
  const auto tied = std::count_if(played.choices.begin(), played.choices.end(),
                                  [](const std::vector<Choice>& each) { return each.size() > 1; });
  finding.remarks = {
      std::to_string(tied) + " of " + fitting +
      " steps have more than one best choice; only there knowing the future, or what runs, can save a "
      "switch without giving up anything."};
  finding.requirements = {{"the policy's objective is the oracle's",
                           percent(played.ours.objective, 6).text + " and " + percent(mean_best, 6).text,
                           std::abs(played.ours.objective - mean_best) <= 1e-9}};
  return finding;
}

}  // namespace saccade::bench
