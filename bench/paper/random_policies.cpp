// Figure 5: random demands and limits, the four policies on the same arrivals.
#include <algorithm>

#include "bench/paper/random_steps.hpp"
#include "scheduler/text.hpp"
#include "text/strict_json.hpp"

namespace saccade::bench {
namespace {

using scheduler::PolicyKind;

std::vector<Contestant> contestants() {
  std::vector<Contestant> all;
  for (const PolicyKind kind : scheduler::kPolicyKinds) {
    all.push_back({to_string(kind), kind});
  }
  return all;
}

std::string order_of(const std::vector<Contestant>& all, const std::vector<Outcome>& outcomes) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < all.size(); ++i) order.push_back(i);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return outcomes[a].achieved > outcomes[b].achieved; });
  std::vector<std::string> names;
  for (const std::size_t i : order) names.push_back(all[i].name);
  return scheduler::join(names);
}

FindingTable policies_table(const std::string& name, const std::string& title,
                            const std::vector<Contestant>& all, const std::vector<Outcome>& outcomes,
                            const std::vector<bool>& counts) {
  FindingTable table{name,
                     title + " (" + std::to_string(count_of(counts)) + " steps)",
                     {"policy", "achieved, mean", "10th percentile of the steps", "worst step",
                      "relative accuracy", "plans that break a limit"},
                     {},
                     true};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Spread rate = spread_in(outcomes[i], counts, &Step::achieved);
    table.rows.push_back({word(all[i].name), percent(rate.mean, 2), percent(rate.p10, 2),
                          percent(rate.least, 2),
                          percent(spread_in(outcomes[i], counts, &Step::accuracy).mean, 2),
                          percent(broken_share(outcomes[i], counts))});
  }
  return table;
}

FindingTable steps_table(const std::vector<Contestant>& all, const std::vector<Outcome>& outcomes,
                         const std::vector<bool>& fit) {
  FindingTable table{"fig5-steps",
                     "All steps of all policies",
                     {"policy", "step", "fits", "achieved", "granted", "relative accuracy", "gap",
                      "time share", "memory (bytes)", "energy above idle (J/s, modelled)"},
                     {},
                     true,
                     false};
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t s = 0; s < fit.size(); ++s) {
      const Step& step = outcomes[i].steps[s];
      table.rows.push_back({word(all[i].name), number(static_cast<double>(s), 0), word(fit[s] ? "yes" : "no"),
                            number(step.achieved, 4), number(step.granted, 4), percent(step.accuracy),
                            number(step.gap, 9), number(step.time, 4),
                            step.memory ? number(*step.memory, 0) : absent(),
                            step.energy ? number(*step.energy, 4) : absent()});
    }
  }
  return table;
}

const Outcome& of(const std::vector<Outcome>& outcomes, PolicyKind kind) {
  return outcomes[static_cast<std::size_t>(kind)];
}

std::vector<Requirement> policies_requirements(const Outcome& ilp, const std::vector<bool>& fit) {
  const Spread promised = spread_in(ilp, fit, &Step::promised);
  const Spread gap = spread_in(ilp, fit, &Step::gap);
  const double processed = spread_in(ilp, fit, &Step::achieved).mean;
  return {{"where the demand fits, every plan grants 100 % of the demand",
           percent(promised.least, 2).text +
               " at the worst step; of the frames, with those that come before the plan, " +
               percent(spread_in(ilp, fit, &Step::granted).mean, 2).text,
           promised.least >= 1.0},
          {"where the demand fits, the gap of `active` is 0", text::to_text(gap.most) + " at most",
           gap.most <= 1e-9},
          {"where the demand fits, at least 99.8 % are processed", percent(processed, 3).text,
           processed >= 0.998}};
}

std::vector<Comparison> policies_comparisons(const std::vector<Contestant>& all,
                                             const std::vector<Outcome>& outcomes,
                                             const std::vector<bool>& fit) {
  const std::vector<bool> every(fit.size(), true);
  const auto mean = [&](PolicyKind kind, const StepValue& value) {
    return percent(spread_in(of(outcomes, kind), every, value).mean, 2).text;
  };
  const double where_it_fits = spread_in(of(outcomes, PolicyKind::transprecision), fit, &Step::achieved).mean;
  return {{"transprecision, achieved", "99.8 %",
           mean(PolicyKind::transprecision, &Step::achieved) + " (where it fits " +
               percent(where_it_fits, 2).text + ")"},
          {"transprecision, relative accuracy", "97.5 %", mean(PolicyKind::transprecision, &Step::accuracy)},
          {"Fair-Time, achieved", "61 % at most", mean(PolicyKind::fair_time, &Step::achieved)},
          {"Fair-FPS, achieved", "not told", mean(PolicyKind::fair_fps, &Step::achieved)},
          {"Greedy, achieved", "41 %", mean(PolicyKind::greedy, &Step::achieved)},
          {"order by achieved rate", "transprecision, Fair-Time, Greedy (Fair-FPS not told)",
           order_of(all, outcomes)},
          {"steps whose demand fits", "not told",
           percent(static_cast<double>(count_of(fit)) / static_cast<double>(fit.size())).text}};
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
  const std::vector<bool> fit = steps_that_fit(of(outcomes, PolicyKind::transprecision));
  const std::vector<bool> every(fit.size(), true);
  std::vector<bool> rest = fit;
  rest.flip();
  finding.requirements = policies_requirements(of(outcomes, PolicyKind::transprecision), fit);
  finding.comparisons = policies_comparisons(all, outcomes, fit);
  finding.remarks = {
      "A demand that does not fit is lowered as little as possible and its steps are reported apart: a low "
      "accuracy there tells of the ranges, not of the policy."};
  finding.tables.push_back(policies_table("fig5-all", "All steps", all, outcomes, every));
  finding.tables.push_back(policies_table("fig5-fits", "Steps whose demand fits", all, outcomes, fit));
  if (count_of(rest) > 0) {
    finding.tables.push_back(
        policies_table("fig5-rest", "Steps whose demand does not fit", all, outcomes, rest));
  }
  finding.tables.push_back(steps_table(all, outcomes, fit));
  const char* share = "share of the steps (%)";
  finding.figures = {
      {"fig5-achieved",
       sorted_chart({"Figure 5: achieved rate of all steps, sorted", share, "processed / demanded (%)"}, all,
                    outcomes, every, &Step::achieved, 100.0),
       true},
      {"fig5-accuracy",
       sorted_chart({"Figure 5: accuracy of all steps, sorted", share, "mean relative accuracy (%)"}, all,
                    outcomes, every, &Step::accuracy, 100.0),
       true}};
  return finding;
}

}  // namespace saccade::bench
