#include "bench/paper/random_steps.hpp"

#include <algorithm>

#include "bench/paper/trial.hpp"
#include "ilp/core_solver.hpp"
#include "scheduler/plan_check.hpp"

namespace saccade::bench {
namespace {

// `wanted`: the step with all its limits, also those that the contestant is not told.
Step step_of(const SimulatedRun& trial, std::size_t state, scheduler::Snapshot wanted) {
  Step step;
  step.achieved = achieved_in(trial.summary, state).value_or(0.0);
  step.granted = granted_in(trial.summary, state).value_or(0.0);
  if (!trial.states[state]) return step;
  const scheduler::Plan& plan = trial.states[state]->plan;
  step.planned = true;
  step.fits = fits(plan);
  step.feasible = step.fits || plan.status == scheduler::PlanStatus::degraded;
  step.gap = plan.gap.value_or(1.0);
  step.accuracy = mean_accuracy(plan);
  const scheduler::Plan* runs = scheduler::runnable(plan);
  if (runs == nullptr) return step;
  // By the frame times that the policy knew: those that the run had measured by then.
  wanted.processors = trial.states[state]->processors;
  step.breaks_limits = !scheduler::check_plan(wanted, *runs).empty();
  double active = 0.0;
  for (const scheduler::Assignment& task : runs->tasks) {
    step.promised += task.granted / task.demand;
    active += 1.0;
  }
  step.promised /= active;
  if (!runs->totals.time_share.empty()) step.time = runs->totals.time_share.front();
  if (runs->totals.memory) step.memory = runs->totals.memory->value();
  if (runs->totals.energy_per_second)
    step.energy = (*runs->totals.energy_per_second - wanted.idle_power).value();
  return step;
}

Outcome outcome_of(const SimulatedRun& trial, const std::vector<runtime::TimelineState>& steps) {
  Outcome outcome;
  for (std::size_t i = 0; i < trial.states.size(); ++i) {
    outcome.steps.push_back(step_of(trial, i, steps[i].snapshot));
  }
  const runtime::RunSummary& summary = trial.summary;
  outcome.achieved = summary.achieved_rate.value_or(0.0);
  outcome.accuracy = summary.mean_relative_accuracy.value_or(0.0);
  outcome.delivered = summary.delivered_accuracy.value_or(0.0);
  outcome.switches = summary.switches.size();
  outcome.overhead = summary.overhead_share;
  for (const runtime::TaskSummary& task : summary.tasks) {
    outcome.granted += task.granted;
    outcome.lost_to_switching +=
        task.dropped_by_cause[static_cast<std::size_t>(runtime::LossCause::switching)];
  }
  for (const runtime::SwitchSummary& each : summary.switches) {
    outcome.load_seconds.push_back((each.load + each.warm).value());
  }
  outcome.decide_cpu_seconds = trial.cpu_seconds;
  outcome.breach = trial.breach;
  return outcome;
}

}  // namespace

std::vector<Outcome> run_contestants(const Context& context, const RandomRanges& ranges,
                                     const std::vector<Contestant>& contestants) {
  const std::uint64_t seed = context.bed.scenario.seed;
  const std::vector<runtime::TimelineState> steps = draw_steps(context.bed, ranges, seed);
  const ilp::CoreSolver solver;
  std::vector<Outcome> outcomes(contestants.size());
  context.workers.each(contestants.size(), [&](std::size_t i) {
    const Contestant& contestant = contestants[i];
    std::vector<runtime::TimelineState> timeline = steps;
    for (runtime::TimelineState& state : timeline) {
      state.snapshot.selection = contestant.selection;
      state.snapshot.objective = contestant.objective;
      state.snapshot.degrade = contestant.degrade;
      // What ignores limits is not told of them; its plans are judged by them all the same.
      if (contestant.policy || contestant.kind != scheduler::PolicyKind::transprecision) {
        state.snapshot.limits = {};
      }
    }
    std::shared_ptr<const scheduler::Policy> policy = contestant.policy;
    if (!policy) policy = scheduler::make_policy(contestant.kind, solver);
    const Seconds duration = ranges.step * static_cast<double>(ranges.steps);
    outcomes[i] = outcome_of(simulate(run_config(std::move(timeline)), *policy, duration, seed), steps);
  });
  return outcomes;
}

std::vector<double> values_of(const std::vector<Step>& steps, const std::vector<bool>& counts,
                              const StepValue& value) {
  std::vector<double> values;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!counts[i]) continue;
    if (const std::optional<double> each = value(steps[i])) values.push_back(*each);
  }
  return values;
}

Spread spread_in(const Outcome& outcome, const std::vector<bool>& counts, const StepValue& value) {
  return spread_of(values_of(outcome.steps, counts, value));
}

double broken_share(const Outcome& outcome, const std::vector<bool>& counts) {
  return spread_in(outcome, counts, [](const Step& step) { return step.breaks_limits ? 1.0 : 0.0; }).mean;
}

std::vector<bool> steps_that_fit(const Outcome& outcome) {
  std::vector<bool> fit;
  for (const Step& step : outcome.steps) fit.push_back(step.fits);
  return fit;
}

std::size_t count_of(const std::vector<bool>& flags) {
  return static_cast<std::size_t>(std::count(flags.begin(), flags.end(), true));
}

app::Chart sorted_chart(const CurveLabels& labels, const std::vector<Contestant>& contestants,
                        const std::vector<Outcome>& outcomes, const std::vector<bool>& counts,
                        const StepValue& value, double factor) {
  app::Chart chart;
  chart.title = labels.title;
  chart.x_label = labels.x;
  chart.y_label = labels.y;
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    const Curve curve = sorted_curve(values_of(outcomes[i].steps, counts, value));
    app::Series series;
    series.name = contestants[i].name;
    series.style = app::Series::Style::lines;
    for (std::size_t p = 0; p < curve.share.size(); ++p) {
      series.x.push_back(100.0 * curve.share[p]);
      series.y.push_back(factor * curve.value[p]);
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

void collect_breaches(const std::vector<Contestant>& contestants, const std::vector<Outcome>& outcomes,
                      Finding& finding) {
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (!outcomes[i].breach.empty()) {
      finding.breaches.push_back(contestants[i].name + ": " + outcomes[i].breach);
    }
  }
}

std::string ranges_words(const RandomRanges& ranges) {
  const auto words = [](const Range& range, double factor, int digits, const std::string& unit) {
    return number(range.least * factor, digits).text + " to " + number(range.most * factor, digits).text +
           unit;
  };
  return std::to_string(ranges.steps) + " steps of " + number(ranges.step.value(), 0).text +
         " s; drawn anew at every step, uniformly: per task a rate of " +
         words(ranges.fps, 1.0, 0, " frames/s") + " and a floor of relative accuracy of " +
         words(ranges.min_relative_accuracy, 100.0, 0, " %") + "; over all tasks a limit on energy of " +
         words(ranges.energy_per_second, 1.0, 1, " J/s (modelled)") + ", on memory of " +
         words(ranges.memory, 1e-6, 0, " MB") + " and on peak power of " +
         words(ranges.peak_power, 1.0, 0, " W (modelled)");
}

}  // namespace saccade::bench
