// Figures 6 and 7: random demands and limits, one objective, the Pareto selections on the same arrivals.
#include <algorithm>

#include "base/check.hpp"
#include "bench/paper/random_steps.hpp"

namespace saccade::bench {
namespace {

using pareto::Selection;
using scheduler::Objective;
using scheduler::PolicyKind;

struct SelectionRuns {  // one per selection, on the same arrivals
  std::vector<Contestant> selections;
  std::vector<Outcome> outcomes;
  std::vector<bool> common;  // steps whose demand fits under every one: only there values can be compared

  [[nodiscard]] const Outcome& of(Selection selection) const {
    const auto at = std::find_if(selections.begin(), selections.end(),
                                 [&](const Contestant& each) { return each.selection == selection; });
    SACCADE_CHECK(at != selections.end());
    return outcomes[static_cast<std::size_t>(at - selections.begin())];
  }
};

SelectionRuns run_selections(const Context& context, Objective objective,
                             const std::vector<Selection>& selections, Finding& finding) {
  SelectionRuns runs;
  for (const Selection selection : selections) {
    runs.selections.push_back({to_string(selection), PolicyKind::transprecision, selection, objective});
  }
  runs.outcomes = run_contestants(context, context.bed.scenario.random, runs.selections);
  collect_breaches(runs.selections, runs.outcomes, finding);
  runs.common.assign(runs.outcomes.front().steps.size(), true);
  for (const Outcome& outcome : runs.outcomes) {
    for (std::size_t i = 0; i < runs.common.size(); ++i) {
      runs.common[i] = runs.common[i] && outcome.steps[i].fits;
    }
  }
  return runs;
}

FindingTable selections_table(const std::string& name, const std::string& title, const SelectionRuns& runs) {
  FindingTable table{
      name,
      title + "; " + std::to_string(count_of(runs.common)) + " steps fit under every selection",
      {"selection", "steps that fit", "achieved, all steps", "accuracy, all steps", "accuracy",
       "10th / 90th percentile", "time share", "memory (MB)", "energy above idle (J/s, modelled)",
       "switches"},
      {},
      true};
  const std::vector<bool> every(runs.common.size(), true);
  for (std::size_t i = 0; i < runs.selections.size(); ++i) {
    const Outcome& outcome = runs.outcomes[i];
    const Spread right = spread_in(outcome, runs.common, &Step::accuracy);
    table.rows.push_back({word(runs.selections[i].name),
                          number(static_cast<double>(count_of(steps_that_fit(outcome))), 0),
                          percent(spread_in(outcome, every, &Step::achieved).mean, 2),
                          percent(spread_in(outcome, every, &Step::accuracy).mean, 2), percent(right.mean, 2),
                          word(percent(right.p10).text + " / " + percent(right.p90).text),
                          percent(spread_in(outcome, runs.common, &Step::time).mean),
                          scaled(spread_in(outcome, runs.common, &Step::memory).mean, 1e-6, 2),
                          number(spread_in(outcome, runs.common, &Step::energy).mean, 3),
                          number(static_cast<double>(outcome.switches), 0)});
  }
  return table;
}

app::Chart selections_chart(const std::string& title, const std::string& label, const SelectionRuns& runs,
                            const StepValue& value, double factor) {
  return sorted_chart({title, "share of the steps that fit under every selection (%)", label},
                      runs.selections, runs.outcomes, runs.common, value, factor);
}

// At how many steps, counted for every selection, `active` is less accurate than it.
std::size_t steps_behind(const SelectionRuns& runs) {
  const Outcome& active = runs.of(Selection::active);
  std::size_t behind = 0;
  for (std::size_t s = 0; s < runs.common.size(); ++s) {
    for (const Outcome& outcome : runs.outcomes) {
      if (runs.common[s] &&
          outcome.steps[s].accuracy.value_or(0.0) > active.steps[s].accuracy.value_or(0.0) + 1e-9) {
        ++behind;
      }
    }
  }
  return behind;
}

}  // namespace

Result<Finding> random_most_accurate(const Context& context) {
  Finding finding;
  finding.name = "fig6";
  finding.title = "Figure 6: random demands and limits, most accuracy";
  finding.about =
      ranges_words(context.bed.scenario.random) + ". Objective max_accuracy, one run per selection.";
  const SelectionRuns runs = run_selections(context, Objective::max_accuracy,
                                            {Selection::time, Selection::time_memory, Selection::memory,
                                             Selection::time_energy, Selection::energy, Selection::active},
                                            finding);
  finding.tables.push_back(selections_table("fig6", "Most accuracy", runs));
  const std::vector<bool> every(runs.common.size(), true);
  const auto mean = [&](Selection selection) {
    const Outcome& outcome = runs.of(selection);
    return percent(spread_in(outcome, runs.common, &Step::accuracy).mean, 2).text + " (all steps " +
           percent(spread_in(outcome, every, &Step::accuracy).mean, 2).text + ")";
  };
  finding.comparisons = {{"accuracy with `time`", "97.5 %", mean(Selection::time)},
                         {"accuracy with `memory`", "97.8 %", mean(Selection::memory)},
                         {"accuracy with `energy`", "98.2 %", mean(Selection::energy)},
                         {"accuracy with `active`", "not in the paper", mean(Selection::active)}};
  const std::size_t behind = steps_behind(runs);
  finding.requirements = {
      {"`active` is at no step behind another selection", std::to_string(behind) + " steps", behind == 0}};
  finding.remarks = {
      "As in the paper, which selection serves accuracy best depends on which resource is the scarcest. "
      "`active` looks at all that are limited, so nobody has to know."};
  finding.figures = {{"fig6-accuracy",
                      selections_chart("Figure 6: accuracy of the steps, sorted",
                                       "mean relative accuracy (%)", runs, &Step::accuracy, 100.0),
                      true},
                     {"fig6-time",
                      selections_chart("Figure 6: processor time of the steps, sorted", "time share (%)",
                                       runs, &Step::time, 100.0),
                      true}};
  return finding;
}

Result<Finding> random_least(const Context& context) {
  Finding finding;
  finding.name = "fig7";
  finding.title = "Figure 7: random demands and limits, least energy and least memory";
  finding.about = ranges_words(context.bed.scenario.random) + ". One run per objective and selection.";
  struct Goal {
    Objective objective;
    Selection own;  // the selection by what is to be least
    std::vector<Selection> selections;
    std::optional<double> Step::*value;
    std::string name;
    const char* label;
    double factor;
    const char* paper;
  };
  for (const Goal& goal :
       {Goal{Objective::min_energy,
             Selection::energy,
             {Selection::time, Selection::time_energy, Selection::energy, Selection::active},
             &Step::energy,
             "energy",
             "energy above idle (J/s, modelled)",
             1.0,
             "-49 %"},
        Goal{Objective::min_memory,
             Selection::memory,
             {Selection::time, Selection::time_memory, Selection::memory, Selection::active},
             &Step::memory,
             "memory",
             "memory of all engines (MB)",
             1e-6,
             "-4 %"}}) {
    const SelectionRuns runs = run_selections(context, goal.objective, goal.selections, finding);
    const auto mean = [&](Selection selection) {
      return spread_in(runs.of(selection), runs.common, goal.value).mean;
    };
    const auto against_time = [&](Selection selection) {
      return percent(mean(selection) / mean(Selection::time) - 1.0).text;
    };
    finding.comparisons.push_back({goal.name + " with the " + goal.name + " selection against `time`",
                                   goal.paper, against_time(goal.own)});
    finding.comparisons.push_back(
        {goal.name + " with `active` against `time`", "not in the paper", against_time(Selection::active)});
    const std::string objective = to_string(goal.objective);
    finding.tables.push_back(selections_table("fig7-" + goal.name, objective, runs));
    finding.figures.push_back(
        {"fig7-" + goal.name,
         selections_chart("Figure 7, " + objective + ", sorted", goal.label, runs, goal.value, goal.factor),
         true});
  }
  finding.remarks = {
      "The paper's power was measured and differs several times between networks of one accuracy; the "
      "model's differs less, so that the quickest variant mostly is the thriftiest, too."};
  return finding;
}

}  // namespace saccade::bench
