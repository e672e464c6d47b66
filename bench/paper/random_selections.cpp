// Figures 6 and 7: random demands and limits, one objective, the Pareto selections on the same arrivals.
#include <algorithm>

#include "base/check.hpp"
#include "bench/paper/random_steps.hpp"
#include "bench/paper/trial.hpp"
#include "ilp/core_solver.hpp"

namespace saccade::bench {
namespace {

using pareto::Selection;
using scheduler::Objective;
using scheduler::PolicyKind;

constexpr double kSameAccuracy = 1e-9;

std::size_t place_of(const std::vector<Contestant>& selections, Selection selection) {
  const auto at = std::find_if(selections.begin(), selections.end(),
                               [&](const Contestant& each) { return each.selection == selection; });
  SACCADE_CHECK(at != selections.end());
  return static_cast<std::size_t>(at - selections.begin());
}

struct SelectionRuns {  // one per selection, on the same arrivals
  std::vector<Contestant> selections;
  std::vector<Outcome> outcomes;
  std::vector<bool> common;  // steps whose demand fits under every one: only there values can be compared

  [[nodiscard]] const Outcome& of(Selection selection) const {
    return outcomes[place_of(selections, selection)];
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

using Accuracies = std::vector<std::vector<std::optional<double>>>;  // by selection, by step

// What the runs served, also where a demand had to be lowered. Each run corrects its frame times by what it
// measured, so that two of them do not plan the same step with the same times.
Accuracies served_accuracies(const SelectionRuns& runs) {
  Accuracies accuracies;
  for (const Outcome& outcome : runs.outcomes) {
    accuracies.emplace_back();
    for (const Step& step : outcome.steps) accuracies.back().push_back(step.accuracy);
  }
  return accuracies;
}

// What is planned for every step as it was drawn, with the profiled times: one question for all selections.
Accuracies planned_as_drawn(const Context& context, const std::vector<Contestant>& selections) {
  const std::vector<runtime::TimelineState> steps =
      draw_steps(context.bed, context.bed.scenario.random, context.bed.scenario.seed);
  const ilp::CoreSolver solver;
  const auto policy = scheduler::make_policy(PolicyKind::transprecision, solver);
  Accuracies accuracies(selections.size(), std::vector<std::optional<double>>(steps.size()));
  context.workers.each(selections.size() * steps.size(), [&](std::size_t i) {
    const std::size_t selection = i / steps.size(), step = i % steps.size();
    scheduler::Snapshot snapshot = steps[step].snapshot;
    snapshot.selection = selections[selection].selection;
    snapshot.objective = selections[selection].objective;
    snapshot.degrade = selections[selection].degrade;
    const scheduler::Plan plan = policy->decide(snapshot, {});
    if (fits(plan)) accuracies[selection][step] = mean_accuracy(plan);
  });
  return accuracies;
}

struct Behind {  // of comparisons with another selection, at steps for which that has an accuracy
  std::size_t compared = 0;
  std::size_t behind = 0;  // less accurate
  std::size_t alone = 0;   // the other one has an accuracy, `active` has none
  double most = 0.0;       // by how much it is behind

  [[nodiscard]] std::string words() const {
    return std::to_string(behind) + " of " + std::to_string(compared) + " comparisons" +
           (behind > 0 ? ", by " + number(100.0 * most, 2).text + " points at most" : "") +
           (alone > 0 ? "; only the other one fits in " + std::to_string(alone) : "");
  }
};

Behind behind_of_active(const std::vector<Contestant>& selections, const Accuracies& accuracies) {
  Behind result;
  const std::size_t active = place_of(selections, Selection::active);
  for (std::size_t s = 0; s < selections.size(); ++s) {
    if (s == active) continue;
    for (std::size_t i = 0; i < accuracies[s].size(); ++i) {
      if (!accuracies[s][i]) continue;
      ++result.compared;
      if (!accuracies[active][i]) {
        ++result.alone;
        continue;
      }
      const double difference = *accuracies[s][i] - *accuracies[active][i];
      if (difference > kSameAccuracy) ++result.behind;
      result.most = std::max(result.most, difference);
    }
  }
  return result;
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
  const Behind planned = behind_of_active(runs.selections, planned_as_drawn(context, runs.selections));
  finding.requirements = {{"every step planned as it was drawn: `active` is never behind another selection",
                           planned.words(), planned.compared > 0 && planned.behind + planned.alone == 0}};
  finding.remarks = {
      "As in the paper, which selection serves accuracy best depends on which resource is the scarcest. "
      "`active` looks at all that are limited, so nobody has to know. In the runs, each of which "
      "corrects its frame times by what it measured, `active` serves less accuracy than another selection "
      "in " +
      behind_of_active(runs.selections, served_accuracies(runs)).words() + "."};
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
