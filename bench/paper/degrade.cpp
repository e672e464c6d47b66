// Beyond the paper: the three ways of giving way, on demands that do not fit.
#include "bench/paper/random_steps.hpp"

namespace saccade::bench {

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
  std::vector<Contestant> all;
  for (const scheduler::Degrade degrade :
       {scheduler::Degrade::exact, scheduler::Degrade::step, scheduler::Degrade::refuse}) {
    Contestant contestant;
    contestant.name = to_string(degrade);
    contestant.degrade = degrade;
    all.push_back(contestant);
  }
  const std::vector<Outcome> outcomes = run_contestants(context, ranges, all);
  collect_breaches(all, outcomes, finding);
  std::vector<bool> lowered = steps_that_fit(outcomes[0]);
  lowered.flip();
  FindingTable table{"degrade",
                     std::to_string(count_of(lowered)) + " steps whose demand does not fit",
                     {"degrade", "achieved", "10th percentile", "granted", "relative accuracy",
                      "infeasible plans", "CPU ms of a decision, median", "worst ms"},
                     {},
                     true};
  app::Chart chart;
  chart.title = "Beyond the paper: achieved rate of the steps whose demand does not fit, sorted";
  chart.x_label = "share of these steps (%)";
  chart.y_label = "processed / demanded (%)";
  std::vector<double> means;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Outcome& outcome = outcomes[i];
    const auto achieved =
        values_of(outcome.steps, lowered, [](const Step& step) { return std::optional(step.achieved); });
    const Spread rate = spread_of(achieved);
    means.push_back(rate.mean);
    const Spread granted = spread_of(
        values_of(outcome.steps, lowered, [](const Step& step) { return std::optional(step.granted); }));
    const Spread right =
        spread_of(values_of(outcome.steps, lowered, [](const Step& step) { return step.accuracy; }));
    const Spread infeasible = spread_of(values_of(
        outcome.steps, lowered, [](const Step& step) { return std::optional(step.feasible ? 0.0 : 1.0); }));
    const Spread cpu = spread_of(outcome.decide_cpu_seconds);
    table.rows.push_back({word(all[i].name), percent(rate.mean, 2), percent(rate.p10, 2),
                          percent(granted.mean, 2), percent(right.mean, 2), percent(infeasible.mean),
                          scaled(cpu.median, 1e3, 2), scaled(cpu.most, 1e3, 1)});
    app::Series series;
    series.name = all[i].name;
    series.style = app::Series::Style::lines;
    const Curve curve = sorted_curve(achieved);
    for (std::size_t p = 0; p < curve.share.size(); ++p) {
      series.x.push_back(100.0 * curve.share[p]);
      series.y.push_back(100.0 * curve.value[p]);
    }
    chart.series.push_back(std::move(series));
  }
  finding.tables.push_back(std::move(table));
  finding.figures.push_back({"degrade", std::move(chart), true});
  finding.comparisons = {{"achieved where the demand does not fit: `exact` against `step`",
                          "not in the paper", percent(means[0], 2).text + " / " + percent(means[1], 2).text}};
  finding.remarks = {
      "`exact` counts weighted frames over all tasks, the achieved rate is a mean over tasks: a frame of a "
      "slow camera counts more in it."};
  return finding;
}

}  // namespace saccade::bench
