// Figure 2: planned processor time against the rate.
#include <algorithm>
#include <numeric>

#include "bench/paper/sweep.hpp"

namespace saccade::bench {
namespace {

using scheduler::kPolicyKinds;
using scheduler::PolicyKind;

double planned_time(const Point& point) {
  return std::accumulate(point.shares.begin(), point.shares.end(), 0.0);
}

ByPolicy<double> most_planned(const Sweep& sweep) {
  ByPolicy<double> most;
  for (const PolicyKind kind : kPolicyKinds) {
    for (const Point& point : sweep.points[kind]) most[kind] = std::max(most[kind], planned_time(point));
  }
  return most;
}

Figure total_figure(const Context& context, const Sweep& sweep) {
  app::Chart chart = sweep_chart(context.bed.scenario.rates, "Figure 2: planned processor time of all tasks",
                                 "share of the processor (the guard leaves 0.95)");
  for (const PolicyKind kind : kPolicyKinds) {
    app::Series series = sweep_line(sweep, to_string(kind));
    for (const Point& point : sweep.points[kind]) series.y.push_back(planned_time(point));
    chart.series.push_back(std::move(series));
  }
  return {"fig2-total", std::move(chart)};
}

Figure task_figure(const Context& context, const Sweep& sweep, PolicyKind kind) {
  const std::string policy = to_string(kind);
  app::Chart chart =
      sweep_chart(context.bed.scenario.rates, "Figure 2: planned processor time per task, " + policy,
                  "share of the processor");
  for (std::size_t task = 0; task < context.bed.scenario.tasks.size(); ++task) {
    app::Series series = sweep_line(sweep, context.bed.scenario.tasks[task].id);
    for (const Point& point : sweep.points[kind]) {
      series.y.push_back(task < point.shares.size() ? point.shares[task] : 0.0);
    }
    chart.series.push_back(std::move(series));
  }
  return {"fig2-" + policy, std::move(chart)};
}

FindingTable most_table(const Sweep& sweep, const ByPolicy<double>& most, double budget) {
  FindingTable table{"fig2",
                     "The most of the processor that is planned at any rate; where the plan stops growing",
                     {"policy", "most", "first rate with 90 % of the budget"},
                     {}};
  for (const PolicyKind kind : kPolicyKinds) {
    const std::vector<Point>& points = sweep.points[kind];
    const auto full = std::find_if(points.begin(), points.end(),
                                   [&](const Point& point) { return planned_time(point) >= 0.9 * budget; });
    table.rows.push_back({word(to_string(kind)), percent(most[kind]),
                          full == points.end()
                              ? absent()
                              : number(sweep.rates[static_cast<std::size_t>(full - points.begin())], 0)});
  }
  return table;
}

std::vector<Comparison> time_comparisons(const Sweep& sweep, const ByPolicy<double>& most) {
  const double ours = most[PolicyKind::transprecision];
  const bool highest = std::all_of(kHeuristics.begin(), kHeuristics.end(),
                                   [&](PolicyKind kind) { return ours > most[kind] + 1e-6; });
  return {{"heuristics are full early and stay so", "yes", "see the table"},
          {"Greedy leaves late tasks without time", "yes",
           sweep.points[PolicyKind::greedy].back().shares.back() <= 0.0 ? "yes" : "no"},
          {"transprecision fills the second to a higher share", "yes",
           highest ? "yes: " + percent(ours).text
                   : "no: " + percent(ours).text + "; Fair-FPS and Greedy " +
                         percent(most[PolicyKind::fair_fps]).text}};
}

}  // namespace

Result<Finding> time_against_rate(const Context& context) {
  Finding finding;
  finding.name = "fig2";
  finding.title = "Figure 2: processor time against the rate";
  finding.about = sweep_words(context);
  const Sweep sweep = sweep_rates(context, networks_of_the_scenario(context), finding.breaches);
  const ByPolicy<double> most = most_planned(sweep);
  finding.figures.push_back(total_figure(context, sweep));
  for (const PolicyKind kind : kPolicyKinds) finding.figures.push_back(task_figure(context, sweep, kind));
  finding.tables.push_back(most_table(sweep, most, 1.0 - context.bed.scenario.guard.value()));
  finding.comparisons = time_comparisons(sweep, most);
  finding.remarks = {
      "The heuristics here may grant any real rate and so fill the budget to its end; the paper's have "
      "rates in whole frames. Transprecision leaves what the next better variant would not fit into. "
      "Fair-Time stays below the budget while a small task does not need its slot: the paper shares "
      "nothing out again, and neither does this policy."};
  return finding;
}

}  // namespace saccade::bench
