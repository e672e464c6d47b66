// Figures 2 and 3: every task at one rate, 1 frame/s apart, four policies on the same arrivals.
#include <algorithm>
#include <array>
#include <memory>
#include <numeric>

#include "bench/paper/experiments.hpp"
#include "bench/paper/statistics.hpp"
#include "bench/paper/trial.hpp"
#include "ilp/core_solver.hpp"
#include "scheduler/heuristics.hpp"

namespace saccade::bench {
namespace {

using scheduler::kPolicyKinds;

constexpr double kWhole = 0.999;  // the achieved rate below which a policy has stopped keeping up

struct Point {  // one policy at one rate; means over the seeds
  Spread achieved;
  double least_task = 1.0;  // achieved rate of the task that fares worst
  double accuracy = 0.0;
  double least_accuracy = 1.0;  // of the tasks that are served
  double delivered = 0.0;
  double busy = 0.0;
  std::vector<double> shares;  // planned time share per task
  double memory = 0.0;
};
struct Sweep {
  std::vector<double> rates;
  std::array<std::vector<Point>, kPolicyKinds.size()> points;
};

Point measure(const Context& context, double rate, const scheduler::Policy& policy, std::string& breach) {
  const RateSweep& sweep = context.bed.scenario.rates;
  const scheduler::Snapshot snapshot = snapshot_of(context.bed, context.bed.measured, Fps(rate));
  Point point;
  std::vector<double> achieved;
  for (int seed = 0; seed < sweep.seeds; ++seed) {
    const Trial trial = simulate(run_config(snapshot), policy, sweep.seconds,
                                 context.bed.scenario.seed + static_cast<std::uint64_t>(seed));
    if (!trial.breach.empty()) breach = trial.breach;
    const runtime::RunSummary& summary = trial.summary;
    achieved.push_back(summary.achieved_rate.value_or(0.0));
    point.accuracy += summary.mean_relative_accuracy.value_or(0.0) / sweep.seeds;
    point.delivered += summary.delivered_accuracy.value_or(0.0) / sweep.seeds;
    point.busy += summary.processors.front().busy_share / sweep.seeds;
    for (const runtime::TaskSummary& task : summary.tasks) {
      point.least_task = std::min(point.least_task, task.achieved_rate.value_or(1.0));
      point.least_accuracy = std::min(point.least_accuracy, task.mean_relative_accuracy.value_or(1.0));
    }
    if (seed > 0 || !trial.states.front()) continue;
    for (const scheduler::Assignment& task : trial.states.front()->plan.tasks) {
      point.shares.push_back(task.time_share.empty() ? 0.0 : task.time_share.front());
    }
    point.memory = trial.states.front()->plan.totals.memory.value_or(Bytes(0.0)).value();
  }
  point.achieved = spread_of(achieved);
  return point;
}

Sweep sweep_rates(const Context& context, std::vector<std::string>& breaches) {
  const RateSweep& wanted = context.bed.scenario.rates;
  Sweep sweep;
  for (int rate = wanted.from; rate <= wanted.to; ++rate) sweep.rates.push_back(rate);
  for (auto& points : sweep.points) points.resize(sweep.rates.size());
  std::vector<std::string> broken(sweep.rates.size() * kPolicyKinds.size());
  const ilp::CoreSolver solver;
  context.workers.each(broken.size(), [&](std::size_t i) {
    const std::size_t kind = i % kPolicyKinds.size(), rate = i / kPolicyKinds.size();
    const auto policy = scheduler::make_policy(kPolicyKinds[kind], solver);
    sweep.points[kind][rate] = measure(context, sweep.rates[rate], *policy, broken[i]);
  });
  for (const std::string& each : broken) {
    if (!each.empty()) breaches.push_back(each);
  }
  return sweep;
}

// The highest rate up to which it holds without a break; absent when it never does.
template <class Holds>
std::optional<std::size_t> last_while(const std::vector<Point>& points, const Holds& holds) {
  std::optional<std::size_t> last;
  for (std::size_t i = 0; i < points.size() && holds(points[i]); ++i) last = i;
  return last;
}

std::string rate_words(const Sweep& sweep, const std::optional<std::size_t>& index) {
  return index ? number(sweep.rates[*index], 0).text + " frames/s" : "none";
}

std::optional<std::size_t> index_of(const Sweep& sweep, double rate) {
  const auto at = std::find(sweep.rates.begin(), sweep.rates.end(), rate);
  return at == sweep.rates.end() ? std::nullopt : std::optional<std::size_t>(at - sweep.rates.begin());
}

// The heuristic with the highest mean achieved rate at one demand.
std::size_t best_heuristic(const Sweep& sweep, std::size_t rate) {
  std::size_t best = 1;
  for (std::size_t kind = 2; kind < kPolicyKinds.size(); ++kind) {
    if (sweep.points[kind][rate].achieved.mean > sweep.points[best][rate].achieved.mean) best = kind;
  }
  return best;
}

app::Chart chart_of(const Context& context, const std::string& title, const std::string& y_label) {
  app::Chart chart;
  chart.title = title;
  chart.x_label =
      "demand of every task (frames/s); " + std::to_string(context.bed.scenario.rates.seeds) + " seeds";
  chart.y_label = y_label;
  return chart;
}

app::Series line(const Sweep& sweep, const std::string& name) {
  app::Series series;
  series.name = name;
  series.style = app::Series::Style::lines;
  series.x = sweep.rates;
  return series;
}

// The rate at which the most accurate variants together take the whole budget.
double full_at(const Context& context) {
  const scheduler::Snapshot snapshot = snapshot_of(context.bed, context.bed.measured, Fps(1.0));
  double seconds = 0.0;
  for (const scheduler::Task& task : snapshot.tasks) {
    const std::vector<scheduler::VariantCost> costs = scheduler::variant_costs(snapshot, task);
    std::vector<std::size_t> all(costs.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    seconds += costs[*scheduler::most_accurate(costs, all)].total_time().value();
  }
  return snapshot.processors.front().budget() / seconds;
}

std::string bed_words(const Context& context) {
  const Scenario& scenario = context.bed.scenario;
  std::size_t variants = 0;
  for (const auto& set : context.bed.measured) variants += set->variants.size();
  return std::to_string(scenario.tasks.size()) + " tasks, one network of the zoo each, " +
         std::to_string(variants) + " variants with their measured profiles; every frame is cut into " +
         std::to_string(scenario.columns * scenario.rows) +
         " regions, so that the most accurate variants together fill one core at " +
         number(full_at(context), 1).text +
         " frames/s per task, well inside the paper's range of rates. Guard " +
         number(1e3 * scenario.guard.value(), 0).text + " ms per second.";
}

FindingTable rows_of(const Context& context, const Sweep& sweep) {
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
  for (std::size_t kind = 0; kind < kPolicyKinds.size(); ++kind) {
    for (std::size_t i = 0; i < sweep.rates.size(); ++i) {
      const Point& point = sweep.points[kind][i];
      std::vector<Cell> row{word(to_string(kPolicyKinds[kind])), number(sweep.rates[i], 0)};
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

FindingTable excerpt(const Sweep& sweep) {
  FindingTable table{
      "rates-excerpt", "Achieved rate / mean relative accuracy / delivered accuracy", {"policy"}, {}};
  std::vector<std::size_t> shown;
  for (const double rate : {5.0, 8.0, 10.0, 12.0, 15.0, 20.0, 25.0, 30.0, 35.0, 40.0}) {
    if (const auto index = index_of(sweep, rate)) shown.push_back(*index);
  }
  for (const std::size_t index : shown) table.columns.push_back(number(sweep.rates[index], 0).text + " /s");
  for (std::size_t kind = 0; kind < kPolicyKinds.size(); ++kind) {
    std::vector<Cell> row{word(to_string(kPolicyKinds[kind]))};
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
Range30 up_to_30(const Sweep& sweep, std::size_t kind, const Value& value) {
  Range30 range;
  double count = 0.0;
  for (std::size_t i = 0; i < sweep.rates.size() && sweep.rates[i] <= 30.0; ++i) {
    const double each = value(sweep.points[kind][i]);
    range.mean += each;
    range.least = std::min(range.least, each);
    count += 1.0;
  }
  range.mean /= std::max(count, 1.0);
  return range;
}

}  // namespace

Result<Finding> time_against_rate(const Context& context) {
  Finding finding;
  finding.name = "fig2";
  finding.title = "Figure 2: processor time against the rate";
  finding.about = bed_words(context);
  const Sweep sweep = sweep_rates(context, finding.breaches);
  app::Chart total = chart_of(context, "Figure 2: planned processor time of all tasks",
                              "share of the processor (the guard leaves 0.95)");
  double fullest = 0.0;
  std::array<double, kPolicyKinds.size()> most{};
  for (std::size_t kind = 0; kind < kPolicyKinds.size(); ++kind) {
    app::Series series = line(sweep, to_string(kPolicyKinds[kind]));
    for (const Point& point : sweep.points[kind]) {
      double sum = 0.0;
      for (const double share : point.shares) sum += share;
      series.y.push_back(sum);
      most[kind] = std::max(most[kind], sum);
    }
    total.series.push_back(std::move(series));
    fullest = std::max(fullest, most[kind]);

    app::Chart per_task = chart_of(
        context, std::string("Figure 2: planned processor time per task, ") + to_string(kPolicyKinds[kind]),
        "share of the processor");
    for (std::size_t task = 0; task < context.bed.scenario.tasks.size(); ++task) {
      app::Series each = line(sweep, context.bed.scenario.tasks[task].id);
      for (const Point& point : sweep.points[kind]) {
        each.y.push_back(task < point.shares.size() ? point.shares[task] : 0.0);
      }
      per_task.series.push_back(std::move(each));
    }
    finding.figures.push_back({std::string("fig2-") + to_string(kPolicyKinds[kind]), std::move(per_task)});
  }
  finding.figures.insert(finding.figures.begin(), {"fig2-total", std::move(total)});
  FindingTable table{"fig2",
                     "The most of the processor that is planned at any rate; where the plan stops growing",
                     {"policy", "most", "first rate with 90 % of the budget"},
                     {}};
  for (std::size_t kind = 0; kind < kPolicyKinds.size(); ++kind) {
    Cell full = absent();
    for (std::size_t i = 0; i < sweep.rates.size(); ++i) {
      double sum = 0.0;
      for (const double share : sweep.points[kind][i].shares) sum += share;
      if (sum < 0.9 * (1.0 - context.bed.scenario.guard.value())) continue;
      full = number(sweep.rates[i], 0);
      break;
    }
    table.rows.push_back({word(to_string(kPolicyKinds[kind])), percent(most[kind]), full});
  }
  finding.tables.push_back(std::move(table));
  finding.comparisons = {{"heuristics are full early and stay so", "yes", "see the table"},
                         {"Greedy leaves late tasks without time", "yes",
                          sweep.points[3].back().shares.back() <= 0.0 ? "yes" : "no"},
                         {"transprecision fills the second to a higher share", "yes",
                          "no: " + percent(most[0]).text + "; Fair-FPS and Greedy " + percent(most[1]).text}};
  if (most[0] > std::max({most[1], most[2], most[3]}) + 1e-6) {
    finding.comparisons.back().ours = "yes: " + percent(most[0]).text;
  }
  finding.remarks = {
      "The heuristics here may grant any real rate and so fill the budget to its end; the paper's have "
      "rates in whole frames. Transprecision leaves what the next better variant would not fit into. "
      "Fair-Time stays below the budget while a small task does not need its slot: the paper shares "
      "nothing out again, and neither does this policy."};
  return finding;
}

Result<Finding> accuracy_against_rate(const Context& context) {
  Finding finding;
  finding.name = "fig3";
  finding.title = "Figure 3: achieved rate and accuracy against the rate";
  finding.about = bed_words(context) + " Every rate is run for " +
                  number(context.bed.scenario.rates.seconds.value(), 0).text + " s with " +
                  std::to_string(context.bed.scenario.rates.seeds) + " seeds.";
  const Sweep sweep = sweep_rates(context, finding.breaches);
  const auto& ilp = sweep.points[0];
  const auto keeps_up = [](const Point& point) { return point.achieved.mean >= kWhole; };

  FindingTable stops{"fig3-stops",
                     "Where each policy stops achieving 99.9 %",
                     {"policy", "last rate with 99.9 %", "mean relative accuracy there"},
                     {}};
  for (std::size_t kind = 0; kind < kPolicyKinds.size(); ++kind) {
    const auto last = last_while(sweep.points[kind], keeps_up);
    stops.rows.push_back({word(to_string(kPolicyKinds[kind])),
                          last ? number(sweep.rates[*last], 0) : absent(),
                          last ? percent(sweep.points[kind][*last].accuracy, 2) : absent()});
  }

  const Range30 accuracy = up_to_30(sweep, 0, [](const Point& point) { return point.accuracy; });
  const Range30 worst = up_to_30(sweep, 0, [](const Point& point) { return point.least_accuracy; });
  const Range30 achieved = up_to_30(sweep, 0, [](const Point& point) { return point.achieved.mean; });
  const Range30 fair = up_to_30(sweep, 2, [](const Point& point) { return point.achieved.mean; });
  const Range30 fair_worst = up_to_30(sweep, 2, [](const Point& point) { return point.least_task; });
  double least_heuristic = 1.0;
  for (std::size_t kind = 1; kind < kPolicyKinds.size(); ++kind) {
    least_heuristic = std::min(
        least_heuristic, up_to_30(sweep, kind, [](const Point& point) { return point.achieved.mean; }).least);
  }
  const auto at_99 =
      last_while(ilp, [&](const Point& point) { return keeps_up(point) && point.accuracy >= 0.99; });
  std::string ratio = "none", demand_at_99 = rate_words(sweep, at_99);
  if (at_99) {
    const std::size_t best = best_heuristic(sweep, *at_99);
    const double rate = sweep.points[best][*at_99].achieved.mean;
    ratio = number(ilp[*at_99].achieved.mean / rate, 2).text + " (" + to_string(kPolicyKinds[best]) + " " +
            percent(rate).text + ")";
  }
  finding.comparisons = {
      {"achieved rate up to 30 frames/s, mean", "99.94 %", percent(achieved.mean, 2).text, true},
      {"relative accuracy up to 30 frames/s, mean", "97.83 %", percent(accuracy.mean, 2).text, true},
      {"mean over the tasks at the worst rate / of the worst task", "83.79 %",
       percent(accuracy.least, 2).text + " / " + percent(worst.least, 2).text},
      {"Fair-Time up to 30 frames/s, mean achieved", "48.78 %", percent(fair.mean, 2).text, true},
      {"Fair-Time, worst task at the worst rate", "20 %", percent(fair_worst.least, 2).text},
      {"the lowest achieved rate of a heuristic", "8.67 %", percent(least_heuristic, 2).text},
      {"highest rate with accuracy of at least 99 %", "15 frames/s", demand_at_99},
      {"rate with accuracy of at least 99 %, against the next best policy there", "1.6 times", ratio, true}};

  const auto at_95 =
      last_while(ilp, [&](const Point& point) { return keeps_up(point) && point.accuracy >= 0.95; });
  if (at_95) {
    const std::size_t best = best_heuristic(sweep, *at_95);
    const double rate = sweep.points[best][*at_95].achieved.mean;
    finding.requirements.push_back(
        {"at the highest rate with 100 % and accuracy of at least 95 % the best heuristic achieves at most "
         "60 %",
         rate_words(sweep, at_95) + ", " + to_string(kPolicyKinds[best]) + " " + percent(rate).text,
         rate <= 0.6});
  }
  finding.remarks = {
      "Which heuristic is the next best depends on the networks: Greedy gains from cheap networks that come "
      "first, "
      "Fair-Time from networks that need less than their slot. The zoo has far fewer variants than the "
      "paper's "
      "3000 configurations, so accuracy falls in larger steps from the rate on at which the device is full."};
  finding.tables = {std::move(stops), excerpt(sweep), rows_of(context, sweep)};

  struct Measure {
    const char* name;
    const char* title;
    const char* label;
    double Point::*value;
    double Point::*low;
  };
  for (const Measure& measure :
       {Measure{"accuracy", "Figure 3: mean relative accuracy, band down to the worst task",
                "relative accuracy (%)", &Point::accuracy, &Point::least_accuracy},
        Measure{"delivered", "Figure 3: delivered accuracy (a lost frame counts 0)", "delivered accuracy (%)",
                &Point::delivered, nullptr}}) {
    app::Chart chart = chart_of(context, measure.title, measure.label);
    for (std::size_t kind = 0; kind < kPolicyKinds.size(); ++kind) {
      app::Series series = line(sweep, to_string(kPolicyKinds[kind]));
      for (const Point& point : sweep.points[kind]) {
        series.y.push_back(100.0 * (point.*measure.value));
        if (measure.low == nullptr) continue;
        series.low.push_back(100.0 * (point.*measure.low));
        series.high.push_back(100.0 * (point.*measure.value));
      }
      chart.series.push_back(std::move(series));
    }
    finding.figures.push_back({std::string("fig3-") + measure.name, std::move(chart)});
  }
  app::Chart chart =
      chart_of(context, "Figure 3: achieved rate, band down to the worst task", "processed / demanded (%)");
  chart.y_from = 0.0;
  chart.y_to = 105.0;
  for (std::size_t kind = 0; kind < kPolicyKinds.size(); ++kind) {
    app::Series series = line(sweep, to_string(kPolicyKinds[kind]));
    for (const Point& point : sweep.points[kind]) {
      series.y.push_back(100.0 * point.achieved.mean);
      series.low.push_back(100.0 * point.least_task);
      series.high.push_back(100.0 * point.achieved.most);
    }
    chart.series.push_back(std::move(series));
  }
  finding.figures.insert(finding.figures.begin(), {"fig3-achieved", std::move(chart)});
  return finding;
}

}  // namespace saccade::bench
