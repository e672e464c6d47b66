// Figure 5: random demands and limits, the four policies on the same arrivals.
#include <algorithm>

#include "bench/paper/random_steps.hpp"
#include "profiles/strict_json.hpp"

namespace saccade::bench {
namespace {

using scheduler::PolicyKind;

std::vector<Contestant> contestants() {
  std::vector<Contestant> all;
  for (const scheduler::PolicyKind kind : scheduler::kPolicyKinds) {
    all.push_back({to_string(kind), kind});
  }
  return all;
}

std::optional<double> achieved(const Step& step) { return step.achieved; }
std::optional<double> accuracy(const Step& step) { return step.accuracy; }

std::string order_of(const std::vector<Contestant>& all, const std::vector<Outcome>& outcomes) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < all.size(); ++i) order.push_back(i);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return outcomes[a].achieved > outcomes[b].achieved; });
  std::string words;
  for (const std::size_t i : order) words += (words.empty() ? "" : ", ") + all[i].name;
  return words;
}

FindingTable table_of(const std::string& name, const std::string& title, const std::vector<Contestant>& all,
                      const std::vector<Outcome>& outcomes, const std::vector<bool>& counts) {
  FindingTable table{name,
                     title + " (" + std::to_string(count_of(counts)) + " steps)",
                     {"policy", "achieved, mean", "10th percentile of the steps", "worst step",
                      "relative accuracy", "plans that break a limit"},
                     {},
                     true};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Spread rate = spread_of(values_of(outcomes[i].steps, counts, achieved));
    const Spread right = spread_of(values_of(outcomes[i].steps, counts, accuracy));
    const Spread broken = spread_of(values_of(outcomes[i].steps, counts, [](const Step& step) {
      return std::optional(step.breaks_limits ? 1.0 : 0.0);
    }));
    table.rows.push_back({word(all[i].name), percent(rate.mean, 2), percent(rate.p10, 2),
                          percent(rate.least, 2), percent(right.mean, 2), percent(broken.mean)});
  }
  return table;
}

}  // namespace

Result<Finding> random_policies(const Context& context) {
  Finding finding;
  finding.name = "fig5";
  finding.title = "Figure 5: random demands and limits, the policies";
  finding.about = ranges_words(context.bed.scenario.random) +
                  ". The heuristics ignore every limit but time, as the paper's do.";
  const std::vector<Contestant> all = contestants();
  const std::vector<Outcome> outcomes = run_contestants(context, context.bed.scenario.random, all);
  collect_breaches(all, outcomes, finding);
  const std::vector<bool> fit = steps_that_fit(outcomes[0]);
  std::vector<bool> rest(fit.size()), every(fit.size(), true);
  for (std::size_t i = 0; i < fit.size(); ++i) rest[i] = !fit[i];

  const Outcome& ilp = outcomes[0];
  const Spread promised =
      spread_of(values_of(ilp.steps, fit, [](const Step& step) { return std::optional(step.promised); }));
  const Spread granted =
      spread_of(values_of(ilp.steps, fit, [](const Step& step) { return std::optional(step.granted); }));
  const Spread gap =
      spread_of(values_of(ilp.steps, fit, [](const Step& step) { return std::optional(step.gap); }));
  const Spread processed = spread_of(values_of(ilp.steps, fit, achieved));
  finding.requirements = {{"where the demand fits, every plan grants 100 % of the demand",
                           percent(promised.least, 2).text +
                               " at the worst step; of the frames, with those that come before the plan, " +
                               percent(granted.mean, 2).text,
                           promised.least >= 1.0},
                          {"where the demand fits, the gap of `active` is 0",
                           profiles::to_text(gap.most) + " at most", gap.most <= 1e-9},
                          {"where the demand fits, at least 99.8 % are processed",
                           percent(processed.mean, 3).text, processed.mean >= 0.998}};
  const auto mean = [&](std::size_t i, const auto& value) {
    return percent(spread_of(values_of(outcomes[i].steps, every, value)).mean, 2).text;
  };
  finding.comparisons = {
      {"transprecision, achieved", "99.8 %",
       mean(0, achieved) + " (where it fits " + percent(processed.mean, 2).text + ")"},
      {"transprecision, relative accuracy", "97.5 %", mean(0, accuracy)},
      {"Fair-Time, achieved", "61 % at most", mean(2, achieved)},
      {"Fair-FPS, achieved", "not told", mean(1, achieved)},
      {"Greedy, achieved", "41 %", mean(3, achieved)},
      {"order by achieved rate", "transprecision, Fair-Time, Greedy (Fair-FPS not told)",
       order_of(all, outcomes)},
      {"steps whose demand fits", "not told",
       percent(static_cast<double>(count_of(fit)) / static_cast<double>(fit.size())).text}};
  finding.remarks = {
      "A demand that does not fit is lowered as little as possible and its steps are reported apart: a low "
      "accuracy there tells of the ranges, not of the policy."};
  finding.tables.push_back(table_of("fig5-all", "All steps", all, outcomes, every));
  finding.tables.push_back(table_of("fig5-fits", "Steps whose demand fits", all, outcomes, fit));
  if (count_of(rest) > 0) {
    finding.tables.push_back(table_of("fig5-rest", "Steps whose demand does not fit", all, outcomes, rest));
  }
  FindingTable steps{"fig5-steps",
                     "All steps of all policies",
                     {"policy", "step", "fits", "achieved", "granted", "relative accuracy", "gap",
                      "time share", "memory (bytes)", "energy above idle (J/s, modelled)"},
                     {},
                     true,
                     false};
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t s = 0; s < fit.size(); ++s) {
      const Step& step = outcomes[i].steps[s];
      steps.rows.push_back({word(all[i].name), number(static_cast<double>(s), 0), word(fit[s] ? "yes" : "no"),
                            number(step.achieved, 4), number(step.granted, 4), percent(step.accuracy),
                            number(step.gap, 9), number(step.time, 4),
                            step.memory ? number(*step.memory, 0) : absent(),
                            step.energy ? number(*step.energy, 4) : absent()});
    }
  }
  finding.tables.push_back(std::move(steps));

  for (const bool rate : {true, false}) {
    app::Chart chart;
    chart.title =
        rate ? "Figure 5: achieved rate of all steps, sorted" : "Figure 5: accuracy of all steps, sorted";
    chart.x_label = "share of the steps (%)";
    chart.y_label = rate ? "processed / demanded (%)" : "mean relative accuracy (%)";
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Curve curve = sorted_curve(values_of(outcomes[i].steps, every, rate ? achieved : accuracy));
      app::Series series;
      series.name = all[i].name;
      series.style = app::Series::Style::lines;
      for (std::size_t p = 0; p < curve.share.size(); ++p) {
        series.x.push_back(100.0 * curve.share[p]);
        series.y.push_back(100.0 * curve.value[p]);
      }
      chart.series.push_back(std::move(series));
    }
    finding.figures.push_back({rate ? "fig5-achieved" : "fig5-accuracy", std::move(chart), true});
  }
  return finding;
}

}  // namespace saccade::bench
