// Figures 6 and 7: random demands and limits, one objective, the Pareto selections on the same arrivals.
#include "bench/paper/random_steps.hpp"

namespace saccade::bench {
namespace {

using pareto::Selection;
using scheduler::Objective;
using scheduler::PolicyKind;

std::optional<double> accuracy(const Step& step) { return step.accuracy; }
std::optional<double> achieved(const Step& step) { return step.achieved; }
std::optional<double> time_share(const Step& step) { return step.time; }
std::optional<double> memory(const Step& step) { return step.memory; }
std::optional<double> energy(const Step& step) { return step.energy; }

std::vector<Contestant> selections(Objective objective, std::initializer_list<Selection> chosen) {
  std::vector<Contestant> all;
  for (const Selection selection : chosen) {
    all.push_back({to_string(selection), PolicyKind::transprecision, selection, objective});
  }
  return all;
}

// Steps whose demand fits under every one of them: only there their values can be compared.
std::vector<bool> fit_all(const std::vector<Outcome>& outcomes) {
  std::vector<bool> fit(outcomes.front().steps.size(), true);
  for (const Outcome& outcome : outcomes) {
    for (std::size_t i = 0; i < fit.size(); ++i) fit[i] = fit[i] && outcome.steps[i].fits;
  }
  return fit;
}

FindingTable table_of(const std::string& name, const std::string& title, const std::vector<Contestant>& all,
                      const std::vector<Outcome>& outcomes, const std::vector<bool>& common) {
  FindingTable table{name,
                     title + "; " + std::to_string(count_of(common)) + " steps fit under every selection",
                     {"selection", "steps that fit", "achieved, all steps", "accuracy, all steps", "accuracy",
                      "10th / 90th percentile", "time share", "memory (MB)",
                      "energy above idle (J/s, modelled)", "switches"},
                     {},
                     true};
  const std::vector<bool> every(common.size(), true);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::vector<Step>& steps = outcomes[i].steps;
    const Spread right = spread_of(values_of(steps, common, accuracy));
    table.rows.push_back(
        {word(all[i].name), number(static_cast<double>(count_of(steps_that_fit(outcomes[i]))), 0),
         percent(spread_of(values_of(steps, every, achieved)).mean, 2),
         percent(spread_of(values_of(steps, every, accuracy)).mean, 2), percent(right.mean, 2),
         word(percent(right.p10).text + " / " + percent(right.p90).text),
         percent(spread_of(values_of(steps, common, time_share)).mean),
         scaled(spread_of(values_of(steps, common, memory)).mean, 1e-6, 2),
         number(spread_of(values_of(steps, common, energy)).mean, 3),
         number(static_cast<double>(outcomes[i].switches), 0)});
  }
  return table;
}

app::Chart curves(const std::string& title, const std::string& label, double factor,
                  const std::vector<Contestant>& all, const std::vector<Outcome>& outcomes,
                  const std::vector<bool>& counts, std::optional<double> (*value)(const Step&)) {
  app::Chart chart;
  chart.title = title;
  chart.x_label = "share of the steps that fit under every selection (%)";
  chart.y_label = label;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Curve curve = sorted_curve(values_of(outcomes[i].steps, counts, value));
    app::Series series;
    series.name = all[i].name;
    series.style = app::Series::Style::lines;
    for (std::size_t p = 0; p < curve.share.size(); ++p) {
      series.x.push_back(100.0 * curve.share[p]);
      series.y.push_back(factor * curve.value[p]);
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

double mean_of(const Outcome& outcome, const std::vector<bool>& counts,
               std::optional<double> (*value)(const Step&)) {
  return spread_of(values_of(outcome.steps, counts, value)).mean;
}

}  // namespace

Result<Finding> random_most_accurate(const Context& context) {
  Finding finding;
  finding.name = "fig6";
  finding.title = "Figure 6: random demands and limits, most accuracy";
  finding.about =
      ranges_words(context.bed.scenario.random) + ". Objective max_accuracy, one run per selection.";
  const std::vector<Contestant> all =
      selections(Objective::max_accuracy, {Selection::time, Selection::time_memory, Selection::memory,
                                           Selection::time_energy, Selection::energy, Selection::active});
  const std::vector<Outcome> outcomes = run_contestants(context, context.bed.scenario.random, all);
  collect_breaches(all, outcomes, finding);
  const std::vector<bool> common = fit_all(outcomes);
  finding.tables.push_back(table_of("fig6", "Most accuracy", all, outcomes, common));
  const std::vector<bool> every(common.size(), true);
  const auto mean = [&](std::size_t i) {
    return percent(mean_of(outcomes[i], common, accuracy), 2).text + " (all steps " +
           percent(mean_of(outcomes[i], every, accuracy), 2).text + ")";
  };
  finding.comparisons = {{"accuracy with `time`", "97.5 %", mean(0)},
                         {"accuracy with `memory`", "97.8 %", mean(2)},
                         {"accuracy with `energy`", "98.2 %", mean(4)},
                         {"accuracy with `active`", "not in the paper", mean(5)}};
  std::size_t behind = 0;
  for (std::size_t s = 0; s < common.size(); ++s) {
    for (const Outcome& outcome : outcomes) {
      if (common[s] &&
          outcome.steps[s].accuracy.value_or(0.0) > outcomes.back().steps[s].accuracy.value_or(0.0) + 1e-9) {
        ++behind;
      }
    }
  }
  finding.requirements = {
      {"`active` is at no step behind another selection", std::to_string(behind) + " steps", behind == 0}};
  finding.remarks = {
      "As in the paper, which selection serves accuracy best depends on which resource is the scarcest. "
      "`active` looks at all that are limited, so nobody has to know."};
  finding.figures.push_back({"fig6-accuracy",
                             curves("Figure 6: accuracy of the steps, sorted", "mean relative accuracy (%)",
                                    100.0, all, outcomes, common, accuracy),
                             true});
  finding.figures.push_back({"fig6-time",
                             curves("Figure 6: processor time of the steps, sorted", "time share (%)", 100.0,
                                    all, outcomes, common, time_share),
                             true});
  return finding;
}

Result<Finding> random_least(const Context& context) {
  Finding finding;
  finding.name = "fig7";
  finding.title = "Figure 7: random demands and limits, least energy and least memory";
  finding.about = ranges_words(context.bed.scenario.random) + ". One run per objective and selection.";
  struct Aim {
    Objective objective;
    std::initializer_list<Selection> selections;
    std::optional<double> (*value)(const Step&);
    const char* name;
    const char* label;
    double factor;
    const char* paper;
  };
  for (const Aim& aim : {Aim{Objective::min_energy,
                             {Selection::time, Selection::time_energy, Selection::energy, Selection::active},
                             energy,
                             "energy",
                             "energy above idle (J/s, modelled)",
                             1.0,
                             "-49 %"},
                         Aim{Objective::min_memory,
                             {Selection::time, Selection::time_memory, Selection::memory, Selection::active},
                             memory,
                             "memory",
                             "memory of all engines (MB)",
                             1e-6,
                             "-4 %"}}) {
    const std::vector<Contestant> all = selections(aim.objective, aim.selections);
    const std::vector<Outcome> outcomes = run_contestants(context, context.bed.scenario.random, all);
    collect_breaches(all, outcomes, finding);
    const std::vector<bool> common = fit_all(outcomes);
    const double time = mean_of(outcomes[0], common, aim.value);
    const auto against = [&](std::size_t i) {
      return percent(mean_of(outcomes[i], common, aim.value) / time - 1.0).text;
    };
    const std::string name = aim.name;
    finding.comparisons.push_back(
        {name + " with the " + name + " selection against `time`", aim.paper, against(2)});
    finding.comparisons.push_back({name + " with `active` against `time`", "not in the paper", against(3)});
    finding.tables.push_back(
        table_of("fig7-" + name, std::string(to_string(aim.objective)), all, outcomes, common));
    finding.figures.push_back({"fig7-" + name,
                               curves("Figure 7, " + std::string(to_string(aim.objective)) + ", sorted",
                                      aim.label, aim.factor, all, outcomes, common, aim.value),
                               true});
  }
  finding.remarks = {
      "The paper's power was measured and differs several times between networks of one accuracy; the "
      "model's differs less, so that the quickest variant mostly is the thriftiest, too."};
  return finding;
}

}  // namespace saccade::bench
