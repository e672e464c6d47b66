// Figure 3: achieved rate and accuracy against the rate.
#include <algorithm>
#include <functional>

#include "bench/paper/sweep.hpp"

namespace saccade::bench {
namespace {

using scheduler::kPolicyKinds;
using scheduler::PolicyKind;

constexpr double kWhole = 0.999;  // the achieved rate below which a policy has stopped keeping up

bool keeps_up(const Point& point) { return point.achieved.mean >= kWhole; }

double mean_achieved(const Point& point) { return point.achieved.mean; }

// The highest rate up to which it holds without a break; absent when it never does.
template <class Holds>
std::optional<std::size_t> last_while(const std::vector<Point>& points, const Holds& holds) {
  std::optional<std::size_t> last;
  for (std::size_t i = 0; i < points.size() && holds(points[i]); ++i) last = i;
  return last;
}

// The highest rate up to which transprecision keeps up with at least this accuracy.
std::optional<std::size_t> last_with_accuracy(const Sweep& sweep, double accuracy) {
  return last_while(sweep.points[PolicyKind::transprecision],
                    [&](const Point& point) { return keeps_up(point) && point.accuracy >= accuracy; });
}

std::string rate_words(const Sweep& sweep, const std::optional<std::size_t>& index) {
  return index ? number(sweep.rates[*index], 0).text + " frames/s" : "none";
}

std::optional<std::size_t> index_of(const Sweep& sweep, double rate) {
  const auto at = std::find(sweep.rates.begin(), sweep.rates.end(), rate);
  return at == sweep.rates.end() ? std::nullopt : std::optional<std::size_t>(at - sweep.rates.begin());
}

// The heuristic with the highest mean achieved rate at one demand.
PolicyKind best_heuristic(const Sweep& sweep, std::size_t rate) {
  return *std::max_element(kHeuristics.begin(), kHeuristics.end(), [&](PolicyKind a, PolicyKind b) {
    return mean_achieved(sweep.points[a][rate]) < mean_achieved(sweep.points[b][rate]);
  });
}

FindingTable stops_table(const Sweep& sweep) {
  FindingTable table{"fig3-stops",
                     "Where each policy stops achieving 99.9 %",
                     {"policy", "last rate with 99.9 %", "mean relative accuracy there"},
                     {}};
  for (const PolicyKind kind : kPolicyKinds) {
    const auto last = last_while(sweep.points[kind], keeps_up);
    table.rows.push_back({word(to_string(kind)), last ? number(sweep.rates[*last], 0) : absent(),
                          last ? percent(sweep.points[kind][*last].accuracy, 2) : absent()});
  }
  return table;
}

FindingTable all_rates_table(const Context& context, const Sweep& sweep) {
  FindingTable table{"rates", "All rates", {"policy", "demand (frames/s)"}, {}};
  table.in_report = false;
  for (const char* column :
       {"achieved rate", "least over seeds", "most over seeds", "achieved by the worst task",
        "mean relative accuracy", "least relative accuracy", "delivered accuracy", "busy share",
        "memory (bytes)"}) {
    table.columns.emplace_back(column);
  }
  for (const ScenarioTask& task : context.bed.scenario.tasks)
    table.columns.push_back("time share " + task.id);
  for (const PolicyKind kind : kPolicyKinds) {
    for (std::size_t i = 0; i < sweep.rates.size(); ++i) {
      const Point& point = sweep.points[kind][i];
      std::vector<Cell> row{word(to_string(kind)), number(sweep.rates[i], 0)};
      for (const double value :
           {point.achieved.mean, point.achieved.least, point.achieved.most, point.least_task, point.accuracy,
            point.least_accuracy, point.delivered, point.busy, point.memory}) {
        row.push_back(number(value, 4));
      }
      for (const double share : point.shares) row.push_back(number(share, 4));
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

FindingTable excerpt_table(const Sweep& sweep) {
  FindingTable table{
      "rates-excerpt", "Achieved rate / mean relative accuracy / delivered accuracy", {"policy"}, {}};
  std::vector<std::size_t> shown;
  for (const double rate : {5.0, 8.0, 10.0, 12.0, 15.0, 20.0, 25.0, 30.0, 35.0, 40.0}) {
    if (const auto index = index_of(sweep, rate)) shown.push_back(*index);
  }
  for (const std::size_t index : shown) table.columns.push_back(number(sweep.rates[index], 0).text + " /s");
  for (const PolicyKind kind : kPolicyKinds) {
    std::vector<Cell> row{word(to_string(kind))};
    for (const std::size_t index : shown) {
      const Point& point = sweep.points[kind][index];
      row.push_back(word(number(100.0 * point.achieved.mean, 1).text + " / " +
                         number(100.0 * point.accuracy, 1).text + " / " +
                         number(100.0 * point.delivered, 1).text));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

struct Range30 {  // of one policy, from the first rate to 30 frames/s: what the paper averages over
  double mean = 0.0;
  double least = 1.0;
};
template <class Value>
Range30 up_to_30(const Sweep& sweep, PolicyKind kind, const Value& value) {
  Range30 range;
  double count = 0.0;
  for (std::size_t i = 0; i < sweep.rates.size() && sweep.rates[i] <= 30.0; ++i) {
    const double each = std::invoke(value, sweep.points[kind][i]);
    range.mean += each;
    range.least = std::min(range.least, each);
    count += 1.0;
  }
  range.mean /= std::max(count, 1.0);
  return range;
}

// Transprecision's achieved rate against the best heuristic's at one rate.
std::string ratio_words(const Sweep& sweep, const std::optional<std::size_t>& rate) {
  if (!rate) return "none";
  const PolicyKind best = best_heuristic(sweep, *rate);
  const double theirs = mean_achieved(sweep.points[best][*rate]);
  return number(mean_achieved(sweep.points[PolicyKind::transprecision][*rate]) / theirs, 2).text + " (" +
         to_string(best) + " " + percent(theirs).text + ")";
}

std::vector<Comparison> accuracy_comparisons(const Sweep& sweep) {
  const Range30 accuracy = up_to_30(sweep, PolicyKind::transprecision, &Point::accuracy);
  const Range30 worst = up_to_30(sweep, PolicyKind::transprecision, &Point::least_accuracy);
  const Range30 achieved = up_to_30(sweep, PolicyKind::transprecision, mean_achieved);
  const Range30 fair = up_to_30(sweep, PolicyKind::fair_time, mean_achieved);
  const Range30 fair_worst = up_to_30(sweep, PolicyKind::fair_time, &Point::least_task);
  double least_heuristic = 1.0;
  for (const PolicyKind kind : kHeuristics) {
    least_heuristic = std::min(least_heuristic, up_to_30(sweep, kind, mean_achieved).least);
  }
  const auto at_99 = last_with_accuracy(sweep, 0.99);
  return {{"achieved rate up to 30 frames/s, mean", "99.94 %", percent(achieved.mean, 2).text, true},
          {"relative accuracy up to 30 frames/s, mean", "97.83 %", percent(accuracy.mean, 2).text, true},
          {"mean over the tasks at the worst rate / of the worst task", "83.79 %",
           percent(accuracy.least, 2).text + " / " + percent(worst.least, 2).text},
          {"Fair-Time up to 30 frames/s, mean achieved", "48.78 %", percent(fair.mean, 2).text, true},
          {"Fair-Time, worst task at the worst rate", "20 %", percent(fair_worst.least, 2).text},
          {"the lowest achieved rate of a heuristic", "8.67 %", percent(least_heuristic, 2).text},
          {"highest rate with accuracy of at least 99 %", "15 frames/s", rate_words(sweep, at_99)},
          {"rate with accuracy of at least 99 %, against the next best policy there", "1.6 times",
           ratio_words(sweep, at_99), true}};
}

std::vector<Requirement> accuracy_requirements(const Sweep& sweep) {
  const auto at_95 = last_with_accuracy(sweep, 0.95);
  if (!at_95) return {};
  const PolicyKind best = best_heuristic(sweep, *at_95);
  const double rate = mean_achieved(sweep.points[best][*at_95]);
  return {
      {"at the highest rate with 100 % and accuracy of at least 95 % the best heuristic achieves at most "
       "60 %",
       rate_words(sweep, at_95) + ", " + to_string(best) + " " + percent(rate).text, rate <= 0.6}};
}

Figure achieved_figure(const Context& context, const Sweep& sweep) {
  app::Chart chart =
      sweep_chart(context.bed.scenario.rates, "Figure 3: achieved rate, band down to the worst task",
                  "processed / demanded (%)");
  chart.y_from = 0.0;
  chart.y_to = 105.0;
  for (const PolicyKind kind : kPolicyKinds) {
    app::Series series = sweep_line(sweep, to_string(kind));
    for (const Point& point : sweep.points[kind]) {
      series.y.push_back(100.0 * point.achieved.mean);
      series.low.push_back(100.0 * point.least_task);
      series.high.push_back(100.0 * point.achieved.most);
    }
    chart.series.push_back(std::move(series));
  }
  return {"fig3-achieved", std::move(chart)};
}

Figure accuracy_figure(const Context& context, const Sweep& sweep) {
  app::Chart chart =
      sweep_chart(context.bed.scenario.rates, "Figure 3: mean relative accuracy, band down to the worst task",
                  "relative accuracy (%)");
  for (const PolicyKind kind : kPolicyKinds) {
    app::Series series = sweep_line(sweep, to_string(kind));
    for (const Point& point : sweep.points[kind]) {
      series.y.push_back(100.0 * point.accuracy);
      series.low.push_back(100.0 * point.least_accuracy);
      series.high.push_back(100.0 * point.accuracy);
    }
    chart.series.push_back(std::move(series));
  }
  return {"fig3-accuracy", std::move(chart)};
}

Figure delivered_figure(const Context& context, const Sweep& sweep) {
  app::Chart chart =
      sweep_chart(context.bed.scenario.rates, "Figure 3: delivered accuracy (a lost frame counts 0)",
                  "delivered accuracy (%)");
  for (const PolicyKind kind : kPolicyKinds) {
    app::Series series = sweep_line(sweep, to_string(kind));
    for (const Point& point : sweep.points[kind]) series.y.push_back(100.0 * point.delivered);
    chart.series.push_back(std::move(series));
  }
  return {"fig3-delivered", std::move(chart)};
}

}  // namespace

Result<Finding> accuracy_against_rate(const Context& context) {
  Finding finding;
  finding.name = "fig3";
  finding.title = "Figure 3: achieved rate and accuracy against the rate";
  finding.about = sweep_words(context) + " Every rate is run for " +
                  number(context.bed.scenario.rates.seconds.value(), 0).text + " s with " +
                  std::to_string(context.bed.scenario.rates.seeds) + " seeds.";
  const Sweep sweep = sweep_rates(context, networks_of_the_scenario(context), finding.breaches);
  finding.comparisons = accuracy_comparisons(sweep);
  finding.requirements = accuracy_requirements(sweep);
  finding.remarks = {
      "Which heuristic is the next best depends on the networks: Greedy gains from cheap networks that come "
      "first, "
      "Fair-Time from networks that need less than their slot. The zoo has far fewer variants than the "
      "paper's "
      "3000 configurations, so accuracy falls in larger steps from the rate on at which the device is full."};
  finding.tables = {stops_table(sweep), excerpt_table(sweep), all_rates_table(context, sweep)};
  finding.figures = {achieved_figure(context, sweep), accuracy_figure(context, sweep),
                     delivered_figure(context, sweep)};
  return finding;
}

}  // namespace saccade::bench
