// Beyond the paper: the three ways of giving way, on demands that do not fit.
#include "bench/paper/random_steps.hpp"

namespace saccade::bench {

namespace {

std::vector<Contestant> degrade_contestants() {
  std::vector<Contestant> all;
  for (const scheduler::Degrade degrade :
       {scheduler::Degrade::exact, scheduler::Degrade::step, scheduler::Degrade::refuse}) {
    Contestant contestant;
    contestant.name = to_string(degrade);
    contestant.degrade = degrade;
    all.push_back(contestant);
  }
  return all;
}

FindingTable degrade_table(const std::vector<Contestant>& all, const std::vector<Outcome>& outcomes,
                           const std::vector<bool>& lowered) {
  FindingTable table{"degrade",
                     std::to_string(count_of(lowered)) + " steps whose demand does not fit",
                     {"degrade", "achieved", "10th percentile", "granted", "relative accuracy",
                      "infeasible plans", "CPU ms of a decision, median", "worst ms"},
                     {},
                     true};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Outcome& outcome = outcomes[i];
    const Spread rate = spread_in(outcome, lowered, &Step::achieved);
    const Spread infeasible =
        spread_in(outcome, lowered, [](const Step& step) { return step.feasible ? 0.0 : 1.0; });
    const Spread cpu = spread_of(outcome.decide_cpu_seconds);
    table.rows.push_back({word(all[i].name), percent(rate.mean, 2), percent(rate.p10, 2),
                          percent(spread_in(outcome, lowered, &Step::granted).mean, 2),
                          percent(spread_in(outcome, lowered, &Step::accuracy).mean, 2),
                          percent(infeasible.mean), scaled(cpu.median, 1e3, 2), scaled(cpu.most, 1e3, 1)});
  }
  return table;
}

}  // namespace

Result<Finding> degrade_modes(const Context& context) {
  const RandomRanges& ranges = context.bed.scenario.overload;
  Finding finding;
  finding.name = "degrade";
  finding.title = "Beyond the paper: exact, step and refuse";
  finding.about =
      ranges_words(ranges) +
      ". Demands that mostly do not fit: `exact` loses the fewest frames that can be lost, `step` lowers one "
      "task by 1 frame/s until it fits, as the paper does, `refuse` lowers nothing and leaves the "
      "plan that runs, or Fair-Time where that breaks a limit.";
  const std::vector<Contestant> all = degrade_contestants();
  const std::vector<Outcome> outcomes = run_contestants(context, ranges, all);
  collect_breaches(all, outcomes, finding);
  const Outcome& exact = outcomes[0];
  const Outcome& step = outcomes[1];
  std::vector<bool> lowered = steps_that_fit(exact);
  lowered.flip();
  finding.tables.push_back(degrade_table(all, outcomes, lowered));
  finding.figures.push_back(
      {"degrade",
       sorted_chart({"Beyond the paper: achieved rate of the steps whose demand does not fit, sorted",
                     "share of these steps (%)", "processed / demanded (%)"},
                    all, outcomes, lowered, &Step::achieved, 100.0),
       true});
  finding.comparisons = {{"achieved where the demand does not fit: `exact` against `step`",
                          "not in the paper",
                          percent(spread_in(exact, lowered, &Step::achieved).mean, 2).text + " / " +
                              percent(spread_in(step, lowered, &Step::achieved).mean, 2).text}};
  finding.remarks = {
      "`exact` counts weighted frames over all tasks, the achieved rate is a mean over tasks: a frame of a "
      "slow camera counts more in it."};
  return finding;
}

}  // namespace saccade::bench
