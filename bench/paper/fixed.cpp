// Beyond the paper: one choice of variants for good, as is deployed where nothing adapts, beside the
// policy that chooses anew at every step.
#include <memory>

#include "bench/paper/random_steps.hpp"
#include "bench/paper/trial.hpp"
#include "ilp/core_solver.hpp"
#include "scheduler/heuristics.hpp"
#include "scheduler/transprecision.hpp"

namespace saccade::bench {
namespace {

std::vector<std::size_t> most_accurate_choice(const scheduler::Snapshot& snapshot) {
  std::vector<std::size_t> chosen;
  for (const scheduler::Task& task : snapshot.tasks) {
    const std::vector<scheduler::VariantCost> costs = scheduler::variant_costs(snapshot, task);
    std::vector<std::size_t> all(costs.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    chosen.push_back(*scheduler::most_accurate(costs, all));
  }
  return chosen;
}

// What the planner takes when every task asks for `fps` and all engines may take `memory`.
std::vector<std::size_t> choice_for(const Bed& bed, Fps fps, Bytes memory) {
  scheduler::Snapshot snapshot = snapshot_of(bed, bed.modelled, fps);
  snapshot.limits.memory = memory;
  const ilp::CoreSolver solver;
  const scheduler::Plan plan = scheduler::Transprecision(solver).decide(snapshot, {});
  std::vector<std::size_t> chosen = most_accurate_choice(snapshot);
  const scheduler::Plan* runs = scheduler::runnable(plan);
  for (std::size_t i = 0; runs != nullptr && i < chosen.size(); ++i) {
    chosen[i] = runs->tasks[i].variant.value_or(chosen[i]);
  }
  return chosen;
}

double middle_of(const Range& range) { return (range.least + range.most) / 2.0; }

}  // namespace

Result<Finding> fixed_choices(const Context& context) {
  const RandomRanges& ranges = context.bed.scenario.random;
  Finding finding;
  finding.name = "fixed";
  finding.title = "Beyond the paper: one fixed choice";
  finding.about =
      ranges_words(ranges) +
      ". Accurate: every task at its most accurate variant. Conservative: what the planner takes when every "
      "task "
      "asks for the highest rate of the range and memory is as scarce as it gets. Middle: the same for the "
      "middle of both ranges. None of the three looks at limits or floors again; where time is short it is "
      "shared out fairly.";
  const scheduler::Snapshot snapshot = snapshot_of(context.bed, context.bed.modelled, Fps(1.0));
  std::vector<Contestant> all(4);
  all[0].name = "transprecision";
  all[1].name = "accurate";
  all[1].policy = fixed_choice(most_accurate_choice(snapshot));
  all[2].name = "middle";
  all[2].policy =
      fixed_choice(choice_for(context.bed, Fps(middle_of(ranges.fps)), Bytes(middle_of(ranges.memory))));
  all[3].name = "conservative";
  all[3].policy = fixed_choice(choice_for(context.bed, Fps(ranges.fps.most), Bytes(ranges.memory.least)));
  const std::vector<Outcome> outcomes = run_contestants(context, ranges, all);
  collect_breaches(all, outcomes, finding);
  FindingTable table{"fixed",
                     "All steps",
                     {"choice", "achieved", "relative accuracy", "delivered accuracy",
                      "plans that break a limit", "switches"},
                     {},
                     true};
  app::BarChart chart{"Beyond the paper: one fixed choice, all steps", "%", {}, {}};
  chart.series = {{"achieved rate", {}},
                  {"relative accuracy", {}},
                  {"delivered accuracy", {}},
                  {"steps within all limits", {}}};
  const std::vector<bool> every(outcomes[0].steps.size(), true);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Outcome& outcome = outcomes[i];
    const double broken = broken_share(outcome, every);
    table.rows.push_back({word(all[i].name), percent(outcome.achieved, 2), percent(outcome.accuracy, 2),
                          percent(outcome.delivered, 2), percent(broken),
                          number(static_cast<double>(outcome.switches), 0)});
    chart.groups.push_back(all[i].name);
    const double values[] = {outcome.achieved, outcome.accuracy, outcome.delivered, 1.0 - broken};
    for (std::size_t v = 0; v < 4; ++v) chart.series[v].values.emplace_back(100.0 * values[v]);
  }
  finding.tables.push_back(std::move(table));
  finding.figures.push_back({"fixed", std::move(chart), true});
  finding.remarks = {
      "A fixed choice is made once: for the worst hour it gives away accuracy in every other, for the best "
      "it loses frames "
      "in every other. None keeps limits that change after it was made."};
  return finding;
}

}  // namespace saccade::bench
